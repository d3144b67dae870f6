# vllm-router, vLLM's own router, which is published as a package and not as an image.
#   docker build -f deploy/kubernetes/router.Dockerfile -t tmas-router:0.1.17 deploy/kubernetes
FROM python:3.11-slim-bookworm
RUN pip install --no-cache-dir --disable-pip-version-check vllm-router==0.1.17
USER 10001:10001
ENV HOME=/tmp
ENTRYPOINT ["vllm-router"]
