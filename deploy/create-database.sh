#!/bin/sh
# Creates the role and the database of the service. The role is no superuser; it owns the database, as its migrations
# need. The image of PostgreSQL runs this script as the superuser when the volume is new.
set -eu
psql --no-psqlrc --quiet --set=ON_ERROR_STOP=1 --username="${POSTGRES_USER:-postgres}" --dbname=postgres <<'SQL'
\set password `cat "${DATABASE_PASSWORD_FILE:-/run/secrets/database_password}"`
CREATE ROLE countinghouse LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
CREATE DATABASE countinghouse OWNER countinghouse;
REVOKE ALL ON DATABASE countinghouse FROM PUBLIC;
SQL
