"""What runs inside the sandbox: standard library only, cheap to import, sent there as compiled code.

Leaves out starting and ending the sandbox, which is the business of the package above.
"""
