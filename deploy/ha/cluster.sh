#!/usr/bin/env bash
# Runs the three machines of this folder's configuration on loopback, as 127.0.0.11 to 127.0.0.13, to try them out:
#   cluster.sh start | stop      the whole cluster, with the database of the service behind 127.0.0.1:5000
#   cluster.sh run|crash|pause|resume NODE    one machine: node1, node2 or node3
#   cluster.sh leader            prints the machine of the leader
#   cluster.sh await             waits for a leader and two standbys, one of them synchronous
#   cluster.sh list              prints the state as Patroni sees it
#   cluster.sh write NODE SQL    succeeds if that machine confirms the statement within 5 seconds
#   cluster.sh backup            makes a full backup of the leader
#   cluster.sh restore TIME      restores the state of that moment to a separate server on 127.0.0.1:5001
# Needs Linux and the Debian packages patroni, python3-etcd, etcd-server, haproxy, postgresql-15, pgbackrest and curl.
# Runs as an ordinary user, because the programs of PostgreSQL do not run as root. Its data is in
# /tmp/countinghouse-ha-<uid>, or in HA_FOLDER, until it is stopped.
set -euo pipefail
umask 077
PATH=$PATH:/usr/sbin # of haproxy
here=$(cd "$(dirname "$0")" && pwd)
work=${HA_FOLDER:-/tmp/countinghouse-ha-$(id -u)}
bin=/usr/lib/postgresql/15/bin
patience=120 # seconds for what a busy machine may take long for
user=$(id -un)

address() { echo "127.0.0.1${1#node}"; } # node1 is 127.0.0.11

fail() {
  echo "$*" >&2
  exit 1
}

check() {
  local missing=() program
  for program in patroni patronictl etcd haproxy pgbackrest psql curl setsid "$bin/postgres"; do
    command -v "$program" >/dev/null || missing+=("$program")
  done
  [ ${#missing[@]} -eq 0 ] ||
    fail "Missing: ${missing[*]}. The first lines of $0 name the packages."
  [ "$(id -u)" -ne 0 ] ||
    fail 'Run this as an ordinary user: setpriv --reuid=postgres --regid=postgres --clear-groups ...'
}

# Replaces what differs between this trial and real machines, and nothing else.
adapt() { # template, node
  sed -e "s|{name}|$2|; s|{address}|$(address "$2")|; s|{password}|$password|; s|{replication password}|$password|" \
    -e "s|{node1}|$(address node1)|g; s|{node2}|$(address node2)|g; s|{node3}|$(address node3)|g" \
    -e "s|=/var/lib/etcd/default|=$work/$2/etcd|; s|=/var/lib/postgresql/15|=$work/$2|; s|=postgres$|=$user|" \
    -e "s|=/var/lib/postgresql/pgpass|=$work/$2/pgpass|; s|=/etc/pgbackrest.conf|=$work/pgbackrest.conf|" \
    -e "s|=/var/lib/pgbackrest|=$work/backups|; s|=/var/log/pgbackrest|=$work/log|; s|=/tmp/pgbackrest|=$work/lock|" \
    "$here/$1"
}

load_environment() { # node
  set -a
  # shellcheck disable=SC1090
  . "$work/$1/node.env"
}

# Runs a command with the environment of a machine.
as_node() { # node, command ...
  (load_environment "$1" && exec "${@:2}")
}

start_process() { # name, node, command ...
  (load_environment "$2" && exec setsid "${@:3}") </dev/null >>"$work/log/$1.log" 2>&1 &
  echo $! >"$work/$1.pid"
}

run() { # node
  start_process "etcd-$1" "$1" etcd
  start_process "patroni-$1" "$1" patroni "$here/patroni.yml"
}

# The processes of a machine. Those of PostgreSQL are found by its first process.
pids() { # node
  local postmaster
  cat "$work/etcd-$1.pid" "$work/patroni-$1.pid"
  postmaster=$(head -n 1 "$work/$1/main/postmaster.pid" 2>/dev/null) || return 0
  [ "$(readlink "/proc/$postmaster/cwd")" = "$work/$1/main" ] || return 0
  echo "$postmaster"
  pgrep -P "$postmaster" || true
}

signal() { # signal, node
  # shellcheck disable=SC2046
  kill -s "$1" $(pids "$2") 2>/dev/null || true
}

# Stopped processes start no others, so the second list is complete.
pause() { signal STOP "$1" && signal STOP "$1"; }
crash() { pause "$1" && signal KILL "$1"; }

leader() {
  local node
  for node in node1 node2 node3; do
    if curl --silent --fail --max-time 1 --output /dev/null "http://$(address "$node"):8008/primary"; then
      echo "$node"
      return
    fi
  done
  return 1
}

list() { as_node node1 patronictl --config-file "$here/patroni.yml" list; }

superuser() { # address, port, psql arguments ...
  PGPASSWORD=$password PGCONNECT_TIMEOUT=3 psql -X -q -v ON_ERROR_STOP=1 -h "$1" -p "$2" -U "$user" "${@:3}"
}

# Whether Patroni knows a synchronous standby that may become the leader, and both standbys follow the leader.
complete() {
  local node
  [[ $(list) == *'Sync Standby'* ]] && node=$(leader) || return 1
  [ 1/2 = "$(superuser "$(address "$node")" 5432 -d postgres -At -F / -c "SELECT count(*) FILTER
    (WHERE sync_state = 'sync'), count(*) FROM pg_stat_replication WHERE state = 'streaming'")" ]
}

until_true() { # what, command ...
  local deadline=$((SECONDS + patience)) what=$1
  shift
  until "$@" 2>/dev/null; do
    [ "$SECONDS" -lt "$deadline" ] || fail "Not within $patience s: $what. See $work/log."
    sleep 0.5
  done
}

start() {
  check
  [ ! -e "$work" ] || fail "$work exists: stop that cluster first."
  trap '[ $? -eq 0 ] || kill_all' EXIT # a failed start leaves its logs
  mkdir -m 700 "$work" "$work/log" "$work/backups" "$work/lock"
  head -c 24 /dev/urandom | od -An -tx1 | tr -d ' \n' >"$work/password"
  password=$(cat "$work/password")
  adapt pgbackrest.conf node1 >"$work/pgbackrest.conf"
  local node
  for node in node1 node2 node3; do
    mkdir "$work/$node"
    adapt node.env "$node" >"$work/$node/node.env"
    run "$node"
  done
  NODE1=$(address node1) NODE2=$(address node2) NODE3=$(address node3) \
    start_process haproxy node1 haproxy -db -f "$here/haproxy.cfg"
  until_true 'a leader and two standbys' complete
  superuser 127.0.0.1 5000 -d postgres -c "CREATE ROLE countinghouse LOGIN PASSWORD '$password'" \
    -c 'CREATE DATABASE countinghouse OWNER countinghouse'
  as_node "$(leader)" pgbackrest --stanza=countinghouse stanza-create
  echo "DATABASE_URL=postgresql://countinghouse:$password@127.0.0.1:5000/countinghouse"
}

kill_all() {
  local node
  for node in node1 node2 node3; do crash "$node" 2>/dev/null || true; done
  kill "$(cat "$work/haproxy.pid")" 2>/dev/null || true
  [ ! -d "$work/restored" ] || "$bin/pg_ctl" stop -s -m immediate -D "$work/restored" || true
}

stop() {
  kill_all
  rm -rf "$work"
}

restore() { # time
  local node to=$work/restored
  node=$(leader)
  as_node "$node" pgbackrest --stanza=countinghouse check # waits until the archive has the WAL up to now
  mkdir -m 700 "$to"
  as_node "$node" pgbackrest --stanza=countinghouse --pg1-path="$to" restore \
    --type=time --target="$1" --target-action=promote --archive-mode=off
  as_node "$node" "$bin/pg_ctl" start -s -w -t "$patience" -D "$to" -l "$work/log/restored.log" -o "-c port=5001 \
    -c listen_addresses=127.0.0.1 -c synchronous_standby_names= \
    -c hba_file=$to/pg_hba.conf -c ident_file=$to/pg_ident.conf"
  until_true 'the end of the recovery' \
    superuser 127.0.0.1 5001 -d postgres -c "DO 'BEGIN ASSERT NOT pg_is_in_recovery(); END'"
}

password=$(cat "$work/password" 2>/dev/null || true)
case ${1:-} in
  start | stop | leader | list) "$1" ;;
  run | crash | pause) "$1" "$2" ;;
  resume) signal CONT "$2" ;;
  await) until_true 'a leader and two standbys' complete ;;
  write) PGPASSWORD=$password timeout 5 psql -X -q -h "$(address "$2")" -U "$user" -d postgres -c "$3" ;;
  backup) as_node "$(leader)" pgbackrest --stanza=countinghouse --type=full backup ;;
  restore) restore "$2" ;;
  *) sed -n '2,/^set/{/^#/s/^# \{0,1\}//p}' "$0" && exit 2 ;;
esac
