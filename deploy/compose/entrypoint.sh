#!/bin/sh
# Hands the database's password from a secret's file to libpq, so that no URL, command line or `docker inspect` shows it.
set -eu
if [ -n "${PGPASSWORD_FILE:-}" ]; then
	if [ ! -r "$PGPASSWORD_FILE" ]; then
		echo "PGPASSWORD_FILE is $PGPASSWORD_FILE, which cannot be read: mount the secret there, or set PGPASSWORD" >&2
		exit 1
	fi
	PGPASSWORD="$(cat "$PGPASSWORD_FILE")"
	export PGPASSWORD
fi
exec "$@"
