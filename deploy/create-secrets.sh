#!/bin/sh
# Creates the secrets of docker-compose.yml in the folder secrets: random ones where the service needs one, and empty files
# for the optional ones, which you fill in. Existing files are left unchanged.
set -eu
cd "$(dirname "$0")/.."
mkdir -p secrets
# Other users of this machine cannot enter the folder. The containers see single files, which their users must be able to
# read.
chmod 700 secrets

random() { head -c 32 /dev/urandom | od -An -tx1 | tr -d ' \n'; }
create() {
  [ -e "secrets/$1" ] && return
  printf '%s' "$2" >"secrets/$1"
  chmod 644 "secrets/$1"
}

create postgres_password "$(random)"
create database_password "$(random)"
create database_url "postgresql://countinghouse:$(cat secrets/database_password)@database:5432/countinghouse"
create jwt_secrets "$(random)"
create admin_password "$(random)"
create stripe_secret_key ''
create stripe_webhook_secret ''
create smtp_url ''
create oidc_providers ''
