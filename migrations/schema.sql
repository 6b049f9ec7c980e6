CREATE EXTENSION pg_trgm;

CREATE SEQUENCE list_count_changes_id_seq;

CREATE SEQUENCE wake_ups;

CREATE OR REPLACE FUNCTION public.audit_log_reject_altered_changes()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF NEW.id = OLD.id AND NEW.salt IS NULL AND NEW.changes IS NULL THEN
      RETURN NEW;
    END IF;
    RAISE EXCEPTION 'the audit log is append-only: its values are only erased' USING ERRCODE = 'restrict_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.audit_log_reject_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'the audit log is append-only: % is rejected', TG_OP USING ERRCODE = 'restrict_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.audit_log_reject_unsealed_delete()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  DECLARE
    has_unsealed boolean;
  BEGIN
    IF to_regclass(format('%I.audit_log', TG_TABLE_SCHEMA)) IS NULL THEN
      RETURN NULL;
    END IF;
    EXECUTE format(
      'SELECT EXISTS (SELECT FROM deleted WHERE NOT EXISTS (SELECT FROM %I.audit_log WHERE audit_log.id = deleted.id))',
      TG_TABLE_SCHEMA
    ) INTO has_unsealed;
    IF has_unsealed THEN
      RAISE EXCEPTION 'the audit log is append-only: an entry is deleted here only once it is sealed'
        USING ERRCODE = 'restrict_violation';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.journal_reject_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    RAISE EXCEPTION 'the journal is append-only: % is not allowed', TG_OP USING ERRCODE = 'restrict_violation';
  END $function$
;

CREATE OR REPLACE FUNCTION public.journal_reject_unbalanced()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
  BEGIN
    IF EXISTS (
      SELECT FROM added GROUP BY account_id, transaction_id, currency HAVING sum(amount) <> 0
    ) THEN
      RAISE EXCEPTION 'a posting does not sum to zero' USING ERRCODE = 'check_violation';
    END IF;
    RETURN NULL;
  END $function$
;

CREATE OR REPLACE FUNCTION public.log_list_count_change()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
   BEGIN
     IF TG_OP <> 'INSERT' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       SELECT name, (OLD.created_at AT TIME ZONE 'UTC')::date, OLD.status,
              coalesce(to_jsonb(OLD) ->> 'type', to_jsonb(OLD) ->> 'role'), -1
       FROM unnest(ARRAY[TG_ARGV[0], to_jsonb(OLD) ->> 'account_id']) AS name WHERE name IS NOT NULL;
     END IF;
     IF TG_OP <> 'DELETE' THEN
       INSERT INTO list_count_changes (list, day, status, type, change)
       SELECT name, (NEW.created_at AT TIME ZONE 'UTC')::date, NEW.status,
              coalesce(to_jsonb(NEW) ->> 'type', to_jsonb(NEW) ->> 'role'), 1
       FROM unnest(ARRAY[TG_ARGV[0], to_jsonb(NEW) ->> 'account_id']) AS name WHERE name IS NOT NULL;
     END IF;
     RETURN NULL;
   END $function$
;

CREATE TABLE account_audit_entries (
  id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  actor_id text,
  actor_role text,
  session_id text,
  action text NOT NULL,
  object_id text,
  account_id text NOT NULL,
  outcome text NOT NULL,
  reason text,
  details json NOT NULL,
  ip text,
  user_agent text,
  request_id text,
  digest bytea NOT NULL,
  CONSTRAINT account_audit_entries_outcome_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text]))),
  CONSTRAINT account_audit_entries_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE account_audit_receipts (
  account_id text NOT NULL,
  id text NOT NULL,
  digest bytea NOT NULL,
  CONSTRAINT account_audit_receipts_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE account_idempotency_records (
  account_id text NOT NULL,
  principal text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  response text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  api_version text DEFAULT '2026-11-20'::text,
  CONSTRAINT account_idempotency_records_key PRIMARY KEY (account_id, principal, key)
);

CREATE TABLE accounts (
  id text NOT NULL,
  email text NOT NULL,
  name text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  currency text NOT NULL,
  timezone text NOT NULL,
  language text NOT NULL,
  posted bigint NOT NULL,
  held bigint NOT NULL,
  pending_in bigint NOT NULL,
  last_id_at timestamp(3) with time zone,
  last_id_number integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  closed_at timestamp(3) with time zone,
  entry_count bigint NOT NULL DEFAULT 0,
  chain_head bytea,
  event_count integer NOT NULL DEFAULT 0,
  last_event_at timestamp(3) with time zone,
  last_event_number integer NOT NULL DEFAULT 0,
  delivers_events boolean NOT NULL DEFAULT false,
  sign_up_network text,
  CONSTRAINT "CHK_25f16b71c80e08420b59cff414" CHECK (((0 <= held) AND (held <= posted) AND (0 <= pending_in) AND ((posted + pending_in) <= '9007199254740991'::bigint))),
  CONSTRAINT "CHK_637d58f1e967338ac17274f721" CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'pending'::text, 'closed'::text]))),
  CONSTRAINT "PK_5a7a02c20412299d198e097a8fe" PRIMARY KEY (id)
) WITH (fillfactor=70);

CREATE TABLE adjustments (
  account_id text NOT NULL,
  id text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  reason text NOT NULL,
  reference text,
  created_by text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  event_count integer NOT NULL DEFAULT 0,
  approval_id text,
  CONSTRAINT "CHK_15150812b479293b3989af9cee" CHECK ((status = ANY (ARRAY['pending'::text, 'posted'::text, 'rejected'::text, 'expired'::text]))),
  CONSTRAINT "CHK_6814d4f4232521d0f504e74c26" CHECK ((type = ANY (ARRAY['credit'::text, 'debit'::text]))),
  CONSTRAINT "CHK_de091b93e70bc66a5116ae894c" CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT adjustments_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE api_keys (
  id text NOT NULL,
  hash text NOT NULL,
  account_id text,
  role text NOT NULL,
  name text NOT NULL,
  last_four text NOT NULL,
  scopes text[] NOT NULL,
  allowed_addresses text[] NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  last_used_at timestamp(3) with time zone,
  expires_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  event_count integer NOT NULL DEFAULT 0,
  api_version text NOT NULL DEFAULT '2026-11-20'::text,
  CONSTRAINT "CHK_eb70390b40c86c5521c825a065" CHECK (((role = ANY (ARRAY['user'::text, 'platform'::text])) AND ((role = 'platform'::text) = (account_id IS NULL)))),
  CONSTRAINT api_keys_pkey PRIMARY KEY (id)
);

CREATE TABLE approvals (
  account_id text NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  object_id text NOT NULL,
  details json NOT NULL,
  reason text NOT NULL,
  status text NOT NULL,
  requested_by text NOT NULL,
  decided_by text,
  rejection_reason text,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  event_count integer NOT NULL DEFAULT 0,
  CONSTRAINT "CHK_f7b4fbd89bf0d4c86e257db961" CHECK ((status = ANY (ARRAY['pending'::text, 'approved'::text, 'rejected'::text, 'expired'::text]))),
  CONSTRAINT approvals_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE audit_log (
  sequence bigint NOT NULL,
  id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  actor_id text,
  actor_role text,
  session_id text,
  action text NOT NULL,
  object_id text,
  account_id text,
  outcome text NOT NULL,
  reason text,
  details json NOT NULL,
  ip text,
  user_agent text,
  request_id text,
  hash bytea NOT NULL,
  CONSTRAINT audit_log_outcome_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text]))),
  CONSTRAINT audit_log_pkey PRIMARY KEY (sequence)
);

CREATE TABLE audit_log_changes (
  id text NOT NULL,
  salt bytea,
  changes json,
  CONSTRAINT audit_log_changes_pkey PRIMARY KEY (id)
);

CREATE TABLE audit_log_head (
  singleton boolean NOT NULL DEFAULT true,
  sequence bigint NOT NULL DEFAULT 0,
  hash bytea NOT NULL DEFAULT '\x'::bytea,
  measured_sequence bigint NOT NULL DEFAULT 0,
  latest_at timestamp(3) with time zone,
  max_lag interval NOT NULL DEFAULT '00:00:00'::interval,
  recent_since timestamp(3) with time zone,
  recent_lag interval NOT NULL DEFAULT '00:00:00'::interval,
  CONSTRAINT audit_log_head_pkey PRIMARY KEY (singleton),
  CONSTRAINT audit_log_head_singleton_check CHECK (singleton)
);

CREATE TABLE audit_log_receipts (
  id text NOT NULL,
  digest bytea NOT NULL
);

CREATE TABLE audit_log_unsealed (
  id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  actor_id text,
  actor_role text,
  session_id text,
  action text NOT NULL,
  object_id text,
  account_id text,
  outcome text NOT NULL,
  reason text,
  details json NOT NULL,
  ip text,
  user_agent text,
  request_id text,
  digest bytea NOT NULL,
  CONSTRAINT audit_log_unsealed_outcome_known CHECK ((outcome = ANY (ARRAY['succeeded'::text, 'failed'::text, 'refused'::text]))),
  CONSTRAINT audit_log_unsealed_pkey PRIMARY KEY (id)
);

CREATE TABLE credentials (
  subject_id text NOT NULL,
  kind text NOT NULL,
  email_key text NOT NULL,
  password_hash text NOT NULL,
  account_id text,
  membership_role text,
  role text NOT NULL,
  disabled boolean NOT NULL,
  password_set_by_other boolean NOT NULL DEFAULT false,
  login_changes jsonb NOT NULL DEFAULT '{}'::jsonb,
  email_verified_at timestamp(3) with time zone,
  invited boolean NOT NULL DEFAULT false,
  api_version text DEFAULT '2026-11-20'::text,
  CONSTRAINT "PK_907f6d865dde00301a692b316d5" PRIMARY KEY (subject_id),
  CONSTRAINT credentials_kind_email_key UNIQUE (kind, email_key)
);

CREATE TABLE daily_totals (
  currency text NOT NULL,
  day date NOT NULL,
  total_in numeric NOT NULL,
  total_out numeric NOT NULL,
  entry_count bigint NOT NULL,
  total_moved numeric NOT NULL DEFAULT 0,
  CONSTRAINT daily_totals_pkey PRIMARY KEY (currency, day)
);

CREATE TABLE daily_totals_head (
  singleton boolean NOT NULL DEFAULT true,
  rolled_until timestamp(3) with time zone NOT NULL,
  CONSTRAINT daily_totals_head_pkey PRIMARY KEY (singleton),
  CONSTRAINT daily_totals_head_singleton_check CHECK (singleton)
);

CREATE TABLE event_outbox (
  account_id text NOT NULL,
  event_id text NOT NULL,
  CONSTRAINT "PK_event_outbox" PRIMARY KEY (account_id, event_id)
);

CREATE TABLE event_purges (
  account_id text NOT NULL,
  event_id text NOT NULL,
  CONSTRAINT event_purges_pkey PRIMARY KEY (account_id)
);

CREATE TABLE events (
  account_id text NOT NULL,
  id text NOT NULL,
  type text NOT NULL,
  object_id text NOT NULL,
  sequence integer NOT NULL,
  object json NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  api_version text NOT NULL DEFAULT '2026-11-20'::text,
  CONSTRAINT "PK_events" PRIMARY KEY (account_id, id)
);

CREATE TABLE failed_logins (
  key character varying(255) NOT NULL,
  points integer NOT NULL DEFAULT 0,
  expire bigint,
  CONSTRAINT failed_logins_pkey PRIMARY KEY (key)
);

CREATE TABLE hosted_checkouts (
  account_id text NOT NULL,
  payment_request_id text NOT NULL,
  attempt integer NOT NULL,
  processor_reference text,
  status text NOT NULL,
  title text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  due_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT "CHK_848dafabb89938893ded6c8dbd" CHECK ((status = ANY (ARRAY['open'::text, 'processing'::text, 'ended'::text]))),
  CONSTRAINT "PK_4bca5ad06c81a45a3935c8bdf55" PRIMARY KEY (account_id, payment_request_id)
);

CREATE TABLE hourly_outcomes (
  hour timestamp(3) with time zone NOT NULL,
  currency text NOT NULL,
  type text NOT NULL,
  outcome text NOT NULL,
  reason text NOT NULL,
  count bigint NOT NULL,
  amount numeric NOT NULL,
  CONSTRAINT hourly_outcomes_pkey PRIMARY KEY (hour, currency, type, outcome, reason)
);

CREATE TABLE hourly_outcomes_head (
  singleton boolean NOT NULL DEFAULT true,
  summed_until timestamp(3) with time zone NOT NULL,
  CONSTRAINT hourly_outcomes_head_pkey PRIMARY KEY (singleton),
  CONSTRAINT hourly_outcomes_head_singleton_check CHECK (singleton)
);

CREATE TABLE idempotency_records (
  principal text NOT NULL,
  key text NOT NULL,
  fingerprint text NOT NULL,
  response text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  api_version text DEFAULT '2026-11-20'::text,
  CONSTRAINT idempotency_records_key PRIMARY KEY (principal, key)
);

CREATE TABLE identities (
  issuer text NOT NULL,
  subject text NOT NULL,
  user_id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT "PK_28fee0f6095fbf00d6b3fe61348" PRIMARY KEY (issuer, subject)
);

CREATE TABLE installation (
  singleton boolean NOT NULL DEFAULT true,
  mode text NOT NULL,
  CONSTRAINT installation_mode_check CHECK ((mode = ANY (ARRAY['test'::text, 'live'::text]))),
  CONSTRAINT installation_pkey PRIMARY KEY (singleton),
  CONSTRAINT installation_singleton_check CHECK (singleton)
);

CREATE TABLE journal_entries (
  account_id text NOT NULL,
  number bigint NOT NULL,
  transaction_id text NOT NULL,
  leg text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  balance bigint NOT NULL,
  posted_at timestamp(3) with time zone NOT NULL,
  hash bytea NOT NULL,
  CONSTRAINT "CHK_14aadc59ca1be44bd7d4212b1b" CHECK (((leg = ANY (ARRAY['customer'::text, 'clearing'::text])) AND (amount <> 0))),
  CONSTRAINT "CHK_4fd4f7c51e0655e24ff4687f44" CHECK (((leg <> 'customer'::text) OR ((balance >= 0) AND (balance <= '9007199254740991'::bigint)))),
  CONSTRAINT "PK_3a8897297e0cbb11c6ca5ca02b5" PRIMARY KEY (account_id, number)
);

CREATE TABLE list_count_changes (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  list text NOT NULL,
  day date NOT NULL,
  status text NOT NULL,
  type text NOT NULL,
  change smallint NOT NULL,
  CONSTRAINT list_count_changes_pkey PRIMARY KEY (id)
);

CREATE TABLE list_counts (
  list text NOT NULL,
  day date NOT NULL,
  status text NOT NULL,
  type text NOT NULL,
  count bigint NOT NULL,
  CONSTRAINT list_counts_pkey PRIMARY KEY (list, day, status, type)
);

CREATE TABLE notes (
  object_id text NOT NULL,
  id text NOT NULL,
  author_id text NOT NULL,
  text text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT notes_pkey PRIMARY KEY (object_id, id)
);

CREATE TABLE password_resets (
  token_hash text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  subject_id text NOT NULL,
  purpose text NOT NULL DEFAULT 'password_reset'::text,
  CONSTRAINT "CHK_836bb89bb3f8ecdc4948a78485" CHECK ((purpose = ANY (ARRAY['password_reset'::text, 'email_verification'::text]))),
  CONSTRAINT "PK_323290a9239ad3d397ad78018ec" PRIMARY KEY (token_hash)
);

CREATE TABLE payment_emails (
  account_id text NOT NULL,
  payment_request_id text NOT NULL,
  kind text NOT NULL,
  due_at timestamp(3) with time zone,
  sent_at timestamp(3) with time zone,
  traceparent text,
  attempts integer NOT NULL DEFAULT 0,
  CONSTRAINT "CHK_18aec3fb49718c60232409f465" CHECK ((kind = ANY (ARRAY['request'::text, 'receipt'::text]))),
  CONSTRAINT "PK_bd3da16f99a6189d701aaa66c33" PRIMARY KEY (account_id, payment_request_id, kind)
);

CREATE TABLE payment_requests (
  account_id text NOT NULL,
  id text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  customer_email text NOT NULL,
  reference text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  secret text NOT NULL,
  status text NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  declines integer NOT NULL DEFAULT 0,
  transaction_id text,
  processing_since timestamp(3) with time zone,
  event_count integer NOT NULL DEFAULT 0,
  settles_at timestamp(3) with time zone,
  due_outcome text,
  return_url text,
  cancel_url text,
  attempts jsonb NOT NULL DEFAULT '[]'::jsonb,
  splits jsonb,
  CONSTRAINT "CHK_8ceffb784df89e1f47e48e6798" CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text]))),
  CONSTRAINT "CHK_e04c9d1f0bc7bd56cdcd1abd3d" CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT "PK_e039f471a21cb7be28a3892a324" PRIMARY KEY (account_id, id)
);

CREATE TABLE processor_events (
  id text NOT NULL,
  received_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT processor_events_pkey PRIMARY KEY (id)
);

CREATE TABLE refresh_tokens (
  hash text NOT NULL,
  session_id text NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  used_at timestamp(3) with time zone,
  CONSTRAINT "PK_2cf4b2a681a38f8044d688b9ccb" PRIMARY KEY (hash)
);

CREATE TABLE request_log (
  account_id text NOT NULL,
  id text NOT NULL,
  request_id text NOT NULL,
  caller_id text NOT NULL,
  method text NOT NULL,
  path text NOT NULL,
  http_status smallint NOT NULL,
  error text,
  duration_ms integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT request_log_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE saved_views (
  owner_id text NOT NULL,
  id text NOT NULL,
  page text NOT NULL,
  name text NOT NULL,
  query jsonb NOT NULL,
  is_shared boolean NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT saved_views_name UNIQUE (owner_id, page, name),
  CONSTRAINT saved_views_pkey PRIMARY KEY (owner_id, id)
);

CREATE TABLE second_factors (
  subject_id text NOT NULL,
  secret text,
  pending_secret text,
  confirmed_at timestamp(3) with time zone,
  last_step integer,
  recovery_codes text[] NOT NULL,
  wrong_codes integer NOT NULL,
  wrong_codes_since timestamp(3) with time zone,
  CONSTRAINT "PK_c66f60a1ee70c5b804c932db635" PRIMARY KEY (subject_id)
);

CREATE TABLE security_emails (
  id text NOT NULL,
  kind text NOT NULL,
  email_key text NOT NULL,
  subject_id text,
  language text,
  due_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  traceparent text,
  attempts integer NOT NULL DEFAULT 0,
  CONSTRAINT "CHK_20b81c747fd5050b73bdaeaea6" CHECK ((kind = ANY (ARRAY['password_reset'::text, 'password_changed'::text, 'email_changed'::text, 'email_verification'::text, 'invitation'::text]))),
  CONSTRAINT "PK_1bdbd084c1e24929779d954b57d" PRIMARY KEY (id)
);

CREATE TABLE sessions (
  id text NOT NULL,
  user_id text,
  opened_account_id text,
  account_id text,
  membership_role text,
  role text NOT NULL,
  ip text NOT NULL,
  user_agent text,
  created_at timestamp(3) with time zone NOT NULL,
  last_used_at timestamp(3) with time zone NOT NULL,
  expires_at timestamp(3) with time zone NOT NULL,
  ended_at timestamp(3) with time zone,
  network text,
  second_factor boolean NOT NULL DEFAULT false,
  authenticated_at timestamp(3) with time zone,
  console boolean NOT NULL DEFAULT false,
  provider text,
  api_version text DEFAULT '2026-11-20'::text,
  CONSTRAINT "PK_3238ef96f18b355b671619111bc" PRIMARY KEY (id)
);

CREATE TABLE shared_limits (
  key character varying(255) NOT NULL,
  points integer NOT NULL DEFAULT 0,
  expire bigint,
  CONSTRAINT shared_limits_pkey PRIMARY KEY (key)
);

CREATE TABLE subscriptions (
  account_id text NOT NULL,
  id text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  customer_email text NOT NULL,
  "interval" text NOT NULL,
  reference text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  status text NOT NULL,
  periods integer NOT NULL,
  next_payment_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  event_count integer NOT NULL DEFAULT 0,
  return_url text,
  cancel_url text,
  splits jsonb,
  CONSTRAINT "CHK_523fae1446a716aaa505c43d75" CHECK ((status = ANY (ARRAY['active'::text, 'canceled'::text]))),
  CONSTRAINT "CHK_7ba1aa9867f5d0520e121b20af" CHECK (("interval" = ANY (ARRAY['day'::text, 'week'::text, 'month'::text, 'year'::text]))),
  CONSTRAINT "CHK_a68782b6a1e1d4dfd5dea2c79a" CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT "CHK_f4bba89cc3291b52639c19ebde" CHECK (((status = 'active'::text) = (next_payment_at IS NOT NULL))),
  CONSTRAINT "PK_00997fa0ab80a228b96b3185eb8" PRIMARY KEY (account_id, id)
);

CREATE TABLE transactions (
  account_id text NOT NULL,
  id text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  type text NOT NULL,
  status text NOT NULL,
  reference text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  source_transaction_id text,
  refunded bigint NOT NULL DEFAULT 0,
  settles_at timestamp(3) with time zone,
  due_outcome text,
  failure_reason text,
  processor_reference text,
  send_at timestamp(3) with time zone,
  sent_at timestamp(3) with time zone,
  payment_request_id text,
  event_count integer NOT NULL DEFAULT 0,
  first_reference text,
  approval_id text,
  approved_at timestamp(3) with time zone,
  counted_admin_id text,
  CONSTRAINT "CHK_05c0fd1d77d8600259be7c60d5" CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text, 'canceled'::text]))),
  CONSTRAINT "CHK_a0cd470012483a1c2abddc0607" CHECK (((refunded >= 0) AND (refunded <= amount))),
  CONSTRAINT "CHK_ea835975687d5080137ff6500c" CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT "PK_2f8c9685ba28b06bb219e3bdb7e" PRIMARY KEY (account_id, id)
);

CREATE TABLE transfers (
  account_id text NOT NULL,
  id text NOT NULL,
  direction text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  status text NOT NULL,
  from_account_id text NOT NULL,
  from_name text NOT NULL,
  parts jsonb NOT NULL,
  counterparty text,
  reference text,
  metadata jsonb NOT NULL DEFAULT '{}'::jsonb,
  released_amount bigint NOT NULL DEFAULT 0,
  reversed_amount bigint NOT NULL DEFAULT 0,
  reversal_of text,
  capture text NOT NULL,
  expires_at timestamp(3) with time zone,
  approval_id text,
  approved_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  event_count integer NOT NULL DEFAULT 0,
  source_transaction_id text,
  CONSTRAINT "CHK_086e4e20a28fe8a1e978bf5dc9" CHECK ((((amount >= 1) AND (amount <= '9007199254740991'::bigint)) AND ((reversed_amount >= 0) AND (reversed_amount <= amount)))),
  CONSTRAINT "CHK_72f64408be55d128bccb2b5c13" CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'canceled'::text, 'expired'::text]))),
  CONSTRAINT "CHK_d29a18a61c2e06e04f786ba923" CHECK ((direction = ANY (ARRAY['in'::text, 'out'::text]))),
  CONSTRAINT transfers_pkey PRIMARY KEY (account_id, id)
);

CREATE TABLE unapplied_payments (
  account_id text NOT NULL,
  id text NOT NULL,
  payment_request_id text NOT NULL,
  amount bigint NOT NULL,
  currency text NOT NULL,
  processor_reference text,
  reason text NOT NULL,
  status text NOT NULL,
  failure_reason text,
  due_at timestamp(3) with time zone,
  attempts integer NOT NULL,
  round integer NOT NULL,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  returned_at timestamp(3) with time zone,
  event_count integer NOT NULL DEFAULT 0,
  CONSTRAINT "CHK_af3fab067bff9ceac99ef189fe" CHECK ((status = ANY (ARRAY['received'::text, 'returned'::text, 'needs_attention'::text]))),
  CONSTRAINT "CHK_de6a6b56a60e4ce6524418483b" CHECK (((amount >= 1) AND (amount <= '9007199254740991'::bigint))),
  CONSTRAINT "PK_unapplied_payments" PRIMARY KEY (account_id, id)
);

CREATE TABLE unapproved_amounts (
  account_id text NOT NULL,
  admin_id text NOT NULL,
  day date NOT NULL,
  amount bigint NOT NULL,
  CONSTRAINT unapproved_amounts_pkey PRIMARY KEY (account_id, admin_id)
);

CREATE TABLE users (
  id text NOT NULL,
  email text NOT NULL,
  name text,
  status text NOT NULL,
  role text NOT NULL,
  account_id text,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  event_count integer NOT NULL DEFAULT 0,
  CONSTRAINT "CHK_1885dcb9bcc22fe4a173d73df4" CHECK ((status = ANY (ARRAY['active'::text, 'suspended'::text, 'pending'::text]))),
  CONSTRAINT "PK_a3ffb1c0c8416b9fc6f907b7433" PRIMARY KEY (id)
);

CREATE TABLE webhook_deliveries (
  account_id text NOT NULL,
  id text NOT NULL,
  endpoint_id text NOT NULL,
  event_id text NOT NULL,
  event_type text NOT NULL,
  status text NOT NULL,
  attempts integer NOT NULL,
  next_attempt_at timestamp(3) with time zone,
  last_attempt_at timestamp(3) with time zone,
  error text,
  response_status integer,
  response_body text,
  duration_ms integer,
  created_at timestamp(3) with time zone NOT NULL,
  CONSTRAINT "CHK_11b15a1a80b7532e982bb8a133" CHECK ((status = ANY (ARRAY['pending'::text, 'succeeded'::text, 'failed'::text]))),
  CONSTRAINT "CHK_7d6195e6e94fe229cef7d30e91" CHECK (((status = 'pending'::text) = (next_attempt_at IS NOT NULL))),
  CONSTRAINT "PK_775b70378c1310e3bb420312e9f" PRIMARY KEY (account_id, id)
);

CREATE TABLE webhook_endpoints (
  account_id text NOT NULL,
  id text NOT NULL,
  url text NOT NULL,
  event_types text[],
  secrets jsonb NOT NULL,
  disabled_at timestamp(3) with time zone,
  disabled_reason text,
  failing_since timestamp(3) with time zone,
  failures integer NOT NULL,
  paused_until timestamp(3) with time zone,
  next_due_at timestamp(3) with time zone,
  leased_until timestamp(3) with time zone,
  notice_due_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone NOT NULL,
  updated_at timestamp(3) with time zone NOT NULL,
  sign_up_network text,
  fast_from timestamp(3) with time zone,
  api_key_id text,
  api_key_expires_at timestamp(3) with time zone,
  notice_attempts integer NOT NULL DEFAULT 0,
  api_version text NOT NULL DEFAULT '2026-11-20'::text,
  CONSTRAINT "CHK_8bfd0f0e2eba7e0dc752355a21" CHECK (((disabled_at IS NULL) = (disabled_reason IS NULL))),
  CONSTRAINT "CHK_d419e1fee3aea9cfc4548c09e4" CHECK ((disabled_reason = ANY (ARRAY['requested'::text, 'gone'::text, 'failing'::text, 'account_closed'::text, 'api_key_ended'::text]))),
  CONSTRAINT "PK_f792af877f4e9c769bf04d141f4" PRIMARY KEY (account_id, id)
);

CREATE VIEW account_counts AS
 SELECT list_counts.day,
    list_counts.status,
    list_counts.type,
    list_counts.count
   FROM list_counts
  WHERE (list_counts.list = 'accounts'::text)
UNION ALL
 SELECT list_count_changes.day,
    list_count_changes.status,
    list_count_changes.type,
    (list_count_changes.change)::bigint AS count
   FROM list_count_changes
  WHERE (list_count_changes.list = 'accounts'::text);

CREATE VIEW account_user_counts AS
 SELECT list_counts.list AS account_id,
    list_counts.day,
    list_counts.status,
    list_counts.type AS role,
    list_counts.count
   FROM list_counts
  WHERE (list_counts.list <> ALL (ARRAY['accounts'::text, 'users'::text]))
UNION ALL
 SELECT list_count_changes.list AS account_id,
    list_count_changes.day,
    list_count_changes.status,
    list_count_changes.type AS role,
    (list_count_changes.change)::bigint AS count
   FROM list_count_changes
  WHERE (list_count_changes.list <> ALL (ARRAY['accounts'::text, 'users'::text]));

CREATE VIEW user_counts AS
 SELECT list_counts.day,
    list_counts.status,
    list_counts.type,
    list_counts.count,
    list_counts.type AS role
   FROM list_counts
  WHERE (list_counts.list = 'users'::text)
UNION ALL
 SELECT list_count_changes.day,
    list_count_changes.status,
    list_count_changes.type,
    (list_count_changes.change)::bigint AS count,
    list_count_changes.type AS role
   FROM list_count_changes
  WHERE (list_count_changes.list = 'users'::text);

CREATE INDEX account_audit_entries_by_id ON public.account_audit_entries USING btree (id);

CREATE INDEX account_idempotency_records_age ON public.account_idempotency_records USING btree (created_at);

CREATE INDEX accounts_name ON public.accounts USING btree (lower(name) COLLATE "C");

CREATE INDEX accounts_newest ON public.accounts USING btree (created_at, id);

CREATE INDEX accounts_status ON public.accounts USING btree (status, created_at, id);

CREATE INDEX accounts_status_type ON public.accounts USING btree (status, type, created_at, id);

CREATE INDEX accounts_text ON public.accounts USING gin (replace(replace(translate(regexp_replace(lower(NORMALIZE(((name || ' '::text) || email), NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text) gin_trgm_ops);

CREATE INDEX accounts_type ON public.accounts USING btree (type, created_at, id);

CREATE INDEX adjustments_account_reference_status ON public.adjustments USING btree (account_id, reference, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX adjustments_account_status ON public.adjustments USING btree (account_id, status, id);

CREATE INDEX adjustments_newest ON public.adjustments USING btree (id NULLS FIRST);

CREATE INDEX adjustments_reference_status ON public.adjustments USING btree (reference NULLS FIRST, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX adjustments_status ON public.adjustments USING btree (status NULLS FIRST, id);

CREATE INDEX api_keys_account_expiry ON public.api_keys USING btree (account_id, COALESCE(expires_at, 'infinity'::timestamp with time zone)) WHERE (revoked_at IS NULL);

CREATE UNIQUE INDEX api_keys_hash ON public.api_keys USING btree (hash);

CREATE INDEX approvals_account_status_type ON public.approvals USING btree (account_id, status, type, id);

CREATE INDEX approvals_due ON public.approvals USING btree (expires_at) WHERE (status = 'pending'::text);

CREATE INDEX approvals_newest ON public.approvals USING btree (id NULLS FIRST);

CREATE INDEX approvals_status_type ON public.approvals USING btree (status NULLS FIRST, type, id);

CREATE INDEX audit_log_by_account ON public.audit_log USING btree (account_id, id) WHERE (account_id IS NOT NULL);

CREATE INDEX audit_log_by_action ON public.audit_log USING btree (action, id);

CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (actor_id, id) WHERE (actor_id IS NOT NULL);

CREATE INDEX audit_log_by_object ON public.audit_log USING btree (object_id, id) WHERE (object_id IS NOT NULL);

CREATE INDEX audit_log_by_outcome ON public.audit_log USING btree (outcome, id) WHERE (outcome <> 'succeeded'::text);

CREATE UNIQUE INDEX audit_log_id ON public.audit_log USING btree (id);

CREATE INDEX credentials_account ON public.credentials USING btree (account_id);

CREATE INDEX event_outbox_oldest ON public.event_outbox USING btree (event_id);

CREATE INDEX event_purges_newest ON public.event_purges USING btree (event_id);

CREATE INDEX events_account_type ON public.events USING btree (account_id, type, id);

CREATE INDEX events_newest ON public.events USING btree (id NULLS FIRST);

CREATE INDEX events_object ON public.events USING btree (object_id, id);

CREATE INDEX events_type ON public.events USING btree (type NULLS FIRST, id);

CREATE INDEX failed_logins_expire ON public.failed_logins USING btree (expire);

CREATE INDEX hosted_checkouts_due ON public.hosted_checkouts USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX idempotency_records_age ON public.idempotency_records USING btree (created_at);

CREATE INDEX identities_user ON public.identities USING btree (user_id);

CREATE INDEX journal_entries_posted ON public.journal_entries USING brin (posted_at) WITH (autosummarize='on') WHERE (leg = 'customer'::text);

CREATE UNIQUE INDEX journal_entries_posting ON public.journal_entries USING btree (account_id, transaction_id) WHERE (leg = 'customer'::text);

CREATE INDEX journal_entries_time ON public.journal_entries USING btree (account_id, posted_at, number) WHERE (leg = 'customer'::text);

CREATE INDEX notes_id ON public.notes USING btree (id);

CREATE INDEX password_resets_expiry ON public.password_resets USING btree (expires_at);

CREATE INDEX password_resets_subject ON public.password_resets USING btree (subject_id);

CREATE INDEX payment_emails_due ON public.payment_emails USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX payment_emails_failed ON public.payment_emails USING btree (payment_request_id) WHERE ((due_at IS NULL) AND (attempts > 0));

CREATE INDEX payment_requests_account_amount ON public.payment_requests USING btree (account_id, amount, id);

CREATE INDEX payment_requests_account_customer_email_reference_status ON public.payment_requests USING btree (account_id, (ARRAY[lower(customer_email), reference]), status, id) WHERE (reference IS NOT NULL);

CREATE INDEX payment_requests_account_customer_email_status ON public.payment_requests USING btree (account_id, lower(customer_email), status, id);

CREATE INDEX payment_requests_account_reference_status ON public.payment_requests USING btree (account_id, reference, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX payment_requests_account_status ON public.payment_requests USING btree (account_id, status, id);

CREATE INDEX payment_requests_amount ON public.payment_requests USING btree (amount NULLS FIRST, id);

CREATE INDEX payment_requests_customer_email_reference_status ON public.payment_requests USING btree ((ARRAY[lower(customer_email), reference]) NULLS FIRST, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX payment_requests_customer_email_status ON public.payment_requests USING btree (lower(customer_email) NULLS FIRST, status, id);

CREATE INDEX payment_requests_due ON public.payment_requests USING btree (expires_at, account_id) WHERE (status = 'pending'::text);

CREATE INDEX payment_requests_id_suffix ON public.payment_requests USING btree ("right"(id, 10));

CREATE INDEX payment_requests_newest ON public.payment_requests USING btree (id NULLS FIRST);

CREATE INDEX payment_requests_pending ON public.payment_requests USING btree (account_id) WHERE (status = 'pending'::text);

CREATE INDEX payment_requests_reference_status ON public.payment_requests USING btree (reference NULLS FIRST, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX payment_requests_reference_word ON public.payment_requests USING btree (COALESCE("substring"("left"(replace(replace(translate(regexp_replace(lower(NORMALIZE(reference, NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 100), '([[:alnum:]]*[0-9][[:alnum:]]*)[^0-9]*$'::text), "substring"("left"(replace(replace(translate(regexp_replace(lower(NORMALIZE(reference, NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 100), '([[:alnum:]]+)[^[:alnum:]]*$'::text)) COLLATE "C") WHERE (reference IS NOT NULL);

CREATE INDEX payment_requests_secret ON public.payment_requests USING btree (secret);

CREATE INDEX payment_requests_settling ON public.payment_requests USING btree (settles_at, account_id) WHERE ((status = 'pending'::text) AND (settles_at IS NOT NULL));

CREATE INDEX payment_requests_status ON public.payment_requests USING btree (status NULLS FIRST, id);

CREATE INDEX processor_events_age ON public.processor_events USING btree (received_at);

CREATE INDEX refresh_tokens_session ON public.refresh_tokens USING btree (session_id);

CREATE INDEX request_log_account_error ON public.request_log USING btree (account_id, error, id) WHERE (error IS NOT NULL);

CREATE INDEX request_log_error ON public.request_log USING btree (error NULLS FIRST, id) WHERE (error IS NOT NULL);

CREATE INDEX request_log_newest ON public.request_log USING btree (id NULLS FIRST);

CREATE INDEX saved_views_shared ON public.saved_views USING btree (id) WHERE is_shared;

CREATE INDEX security_emails_created ON public.security_emails USING btree (created_at);

CREATE INDEX security_emails_due ON public.security_emails USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX sessions_account_unended ON public.sessions USING btree (account_id, id) WHERE (ended_at IS NULL);

CREATE INDEX sessions_expiry ON public.sessions USING btree (expires_at);

CREATE INDEX sessions_expiry_unended ON public.sessions USING btree (expires_at) WHERE (ended_at IS NULL);

CREATE INDEX sessions_opened_account_network ON public.sessions USING btree (opened_account_id, network);

CREATE INDEX sessions_opened_account_unended ON public.sessions USING btree (opened_account_id, id) WHERE (ended_at IS NULL);

CREATE INDEX sessions_user_network ON public.sessions USING btree (user_id, network);

CREATE INDEX sessions_user_unended ON public.sessions USING btree (user_id, id) WHERE (ended_at IS NULL);

CREATE INDEX shared_limits_expire ON public.shared_limits USING btree (expire);

CREATE INDEX subscriptions_account_customer_email_reference_status ON public.subscriptions USING btree (account_id, (ARRAY[lower(customer_email), reference]), status, id) WHERE (reference IS NOT NULL);

CREATE INDEX subscriptions_account_customer_email_status ON public.subscriptions USING btree (account_id, lower(customer_email), status, id);

CREATE INDEX subscriptions_account_reference_status ON public.subscriptions USING btree (account_id, reference, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX subscriptions_account_status ON public.subscriptions USING btree (account_id, status, id);

CREATE INDEX subscriptions_active ON public.subscriptions USING btree (account_id) WHERE (status = 'active'::text);

CREATE INDEX subscriptions_customer_email_reference_status ON public.subscriptions USING btree ((ARRAY[lower(customer_email), reference]) NULLS FIRST, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX subscriptions_customer_email_status ON public.subscriptions USING btree (lower(customer_email) NULLS FIRST, status, id);

CREATE INDEX subscriptions_due ON public.subscriptions USING btree (next_payment_at, account_id) WHERE (status = 'active'::text);

CREATE INDEX subscriptions_newest ON public.subscriptions USING btree (id NULLS FIRST);

CREATE INDEX subscriptions_reference_status ON public.subscriptions USING btree (reference NULLS FIRST, status, id) WHERE (reference IS NOT NULL);

CREATE INDEX subscriptions_reference_word ON public.subscriptions USING btree (COALESCE("substring"("left"(replace(replace(translate(regexp_replace(lower(NORMALIZE(reference, NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 100), '([[:alnum:]]*[0-9][[:alnum:]]*)[^0-9]*$'::text), "substring"("left"(replace(replace(translate(regexp_replace(lower(NORMALIZE(reference, NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 100), '([[:alnum:]]+)[^[:alnum:]]*$'::text)) COLLATE "C") WHERE (reference IS NOT NULL);

CREATE INDEX subscriptions_status ON public.subscriptions USING btree (status NULLS FIRST, id);

CREATE INDEX transactions_account_amount ON public.transactions USING btree (account_id, amount, id);

CREATE INDEX transactions_account_reference_source_status_type ON public.transactions USING btree (account_id, (ARRAY[reference, source_transaction_id]), status, type, id) WHERE ((reference IS NOT NULL) AND (source_transaction_id IS NOT NULL));

CREATE INDEX transactions_account_reference_status_type ON public.transactions USING btree (account_id, reference, status, type, id) WHERE (reference IS NOT NULL);

CREATE INDEX transactions_account_source_status_type ON public.transactions USING btree (account_id, source_transaction_id, status, type, id) WHERE (source_transaction_id IS NOT NULL);

CREATE INDEX transactions_account_status_type ON public.transactions USING btree (account_id, status, type, id);

CREATE INDEX transactions_amount ON public.transactions USING btree (amount NULLS FIRST, id);

CREATE INDEX transactions_due ON public.transactions USING btree (settles_at, account_id) WHERE ((status = 'pending'::text) AND (settles_at IS NOT NULL));

CREATE INDEX transactions_newest ON public.transactions USING btree (id NULLS FIRST);

CREATE INDEX transactions_payment_request ON public.transactions USING btree (payment_request_id, id) WHERE (payment_request_id IS NOT NULL);

CREATE INDEX transactions_pending ON public.transactions USING btree (account_id) WHERE (status = 'pending'::text);

CREATE INDEX transactions_reference_source_status_type ON public.transactions USING btree ((ARRAY[reference, source_transaction_id]) NULLS FIRST, status, type, id) WHERE ((reference IS NOT NULL) AND (source_transaction_id IS NOT NULL));

CREATE INDEX transactions_reference_status_type ON public.transactions USING btree (reference NULLS FIRST, status, type, id) WHERE (reference IS NOT NULL);

CREATE INDEX transactions_reference_word ON public.transactions USING btree (COALESCE("substring"("left"(replace(replace(translate(regexp_replace(lower(NORMALIZE(reference, NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 100), '([[:alnum:]]*[0-9][[:alnum:]]*)[^0-9]*$'::text), "substring"("left"(replace(replace(translate(regexp_replace(lower(NORMALIZE(reference, NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text), 100), '([[:alnum:]]+)[^[:alnum:]]*$'::text)) COLLATE "C") WHERE (reference IS NOT NULL);

CREATE INDEX transactions_source_status_type ON public.transactions USING btree (source_transaction_id NULLS FIRST, status, type, id) WHERE (source_transaction_id IS NOT NULL);

CREATE INDEX transactions_status_type ON public.transactions USING btree (status NULLS FIRST, type, id);

CREATE INDEX transactions_to_send ON public.transactions USING btree (send_at) WHERE (send_at IS NOT NULL);

CREATE INDEX transfers_account_amount ON public.transfers USING btree (account_id, amount, id);

CREATE INDEX transfers_account_reference_status_direction ON public.transfers USING btree (account_id, reference, status, direction, id) WHERE (reference IS NOT NULL);

CREATE INDEX transfers_account_status_direction ON public.transfers USING btree (account_id, status, direction, id);

CREATE INDEX transfers_amount ON public.transfers USING btree (amount NULLS FIRST, id);

CREATE INDEX transfers_due ON public.transfers USING btree (expires_at, account_id) WHERE ((status = 'pending'::text) AND (direction = 'out'::text) AND (expires_at IS NOT NULL));

CREATE INDEX transfers_newest ON public.transfers USING btree (id NULLS FIRST);

CREATE INDEX transfers_pending ON public.transfers USING btree (account_id) WHERE (status = 'pending'::text);

CREATE INDEX transfers_reference_status_direction ON public.transfers USING btree (reference NULLS FIRST, status, direction, id) WHERE (reference IS NOT NULL);

CREATE INDEX transfers_reversal_of ON public.transfers USING btree (reversal_of, id) WHERE (reversal_of IS NOT NULL);

CREATE INDEX transfers_source ON public.transfers USING btree (source_transaction_id, id) WHERE (source_transaction_id IS NOT NULL);

CREATE INDEX transfers_status_direction ON public.transfers USING btree (status NULLS FIRST, direction, id);

CREATE INDEX unapplied_payments_account_status_reason ON public.unapplied_payments USING btree (account_id, status, reason, id);

CREATE INDEX unapplied_payments_due ON public.unapplied_payments USING btree (due_at) WHERE (due_at IS NOT NULL);

CREATE INDEX unapplied_payments_newest ON public.unapplied_payments USING btree (id NULLS FIRST);

CREATE UNIQUE INDEX unapplied_payments_reference ON public.unapplied_payments USING btree (account_id, processor_reference) WHERE (processor_reference IS NOT NULL);

CREATE INDEX unapplied_payments_status_reason ON public.unapplied_payments USING btree (status NULLS FIRST, reason, id);

CREATE INDEX users_account_newest ON public.users USING btree (account_id, created_at, id);

CREATE INDEX users_account_role ON public.users USING btree (account_id, role, created_at, id);

CREATE INDEX users_account_role_status ON public.users USING btree (account_id, role, status, created_at, id);

CREATE INDEX users_account_status ON public.users USING btree (account_id, status, created_at, id);

CREATE INDEX users_newest ON public.users USING btree (created_at, id);

CREATE INDEX users_role ON public.users USING btree (role, created_at, id);

CREATE INDEX users_role_status ON public.users USING btree (role, status, created_at, id);

CREATE INDEX users_search ON public.users USING gin (name gin_trgm_ops, email gin_trgm_ops);

CREATE INDEX users_status ON public.users USING btree (status, created_at, id);

CREATE INDEX users_text ON public.users USING gin (replace(replace(translate(regexp_replace(lower(NORMALIZE(((COALESCE(name, ''::text) || ' '::text) || email), NFD)), '[\u0300-\u036f''\u2018\u2019\u02bc\u0060\u00b4]'::text, ''::text, 'g'::text), 'øØłŁđĐı'::text, 'oollddi'::text), 'ß'::text, 'ss'::text), 'æ'::text, 'ae'::text) gin_trgm_ops);

CREATE INDEX webhook_deliveries_account_endpoint_id_status ON public.webhook_deliveries USING btree (account_id, endpoint_id, status, id);

CREATE INDEX webhook_deliveries_created ON public.webhook_deliveries USING btree (created_at);

CREATE INDEX webhook_deliveries_due ON public.webhook_deliveries USING btree (account_id, endpoint_id, next_attempt_at) WHERE (status = 'pending'::text);

CREATE INDEX webhook_deliveries_status ON public.webhook_deliveries USING btree (status NULLS FIRST, id);

CREATE INDEX webhook_endpoints_api_key ON public.webhook_endpoints USING btree (api_key_id) WHERE (api_key_id IS NOT NULL);

CREATE INDEX webhook_endpoints_disabled ON public.webhook_endpoints USING btree (id NULLS FIRST) WHERE (disabled_reason <> 'account_closed'::text);

CREATE INDEX webhook_endpoints_due ON public.webhook_endpoints USING btree (next_due_at) WHERE (next_due_at IS NOT NULL);

CREATE INDEX webhook_endpoints_enabled ON public.webhook_endpoints USING btree (id NULLS FIRST) WHERE (disabled_at IS NULL);

CREATE INDEX webhook_endpoints_expired_keys ON public.webhook_endpoints USING btree (api_key_expires_at) WHERE ((disabled_at IS NULL) AND (api_key_expires_at IS NOT NULL));

CREATE INDEX webhook_endpoints_failed_notices ON public.webhook_endpoints USING btree (id) WHERE ((notice_due_at IS NULL) AND (notice_attempts > 0));

CREATE INDEX webhook_endpoints_failing ON public.webhook_endpoints USING btree (id NULLS FIRST) WHERE ((disabled_at IS NULL) AND (failing_since IS NOT NULL));

CREATE INDEX webhook_endpoints_newest ON public.webhook_endpoints USING btree (id NULLS FIRST);

CREATE INDEX webhook_endpoints_notices ON public.webhook_endpoints USING btree (notice_due_at) WHERE (notice_due_at IS NOT NULL);

CREATE TRIGGER account_audit_entries_append_only BEFORE UPDATE OR TRUNCATE ON public.account_audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change();

CREATE TRIGGER account_audit_entries_deleted AFTER DELETE ON public.account_audit_entries REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_unsealed_delete();

CREATE TRIGGER account_audit_receipts_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.account_audit_receipts FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change();

CREATE TRIGGER accounts_counted AFTER INSERT OR DELETE ON public.accounts FOR EACH ROW EXECUTE FUNCTION log_list_count_change('accounts');

CREATE TRIGGER accounts_recounted AFTER UPDATE OF status ON public.accounts FOR EACH ROW WHEN ((old.status IS DISTINCT FROM new.status)) EXECUTE FUNCTION log_list_count_change('accounts');

CREATE TRIGGER audit_log_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change();

CREATE TRIGGER audit_log_changes_kept BEFORE DELETE OR TRUNCATE ON public.audit_log_changes FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change();

CREATE TRIGGER audit_log_changes_unaltered BEFORE UPDATE ON public.audit_log_changes FOR EACH ROW EXECUTE FUNCTION audit_log_reject_altered_changes();

CREATE TRIGGER audit_log_head_kept BEFORE DELETE OR TRUNCATE ON public.audit_log_head FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change();

CREATE TRIGGER audit_log_receipts_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.audit_log_receipts FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change();

CREATE TRIGGER audit_log_unsealed_append_only BEFORE UPDATE OR TRUNCATE ON public.audit_log_unsealed FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_change();

CREATE TRIGGER audit_log_unsealed_deleted AFTER DELETE ON public.audit_log_unsealed REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION audit_log_reject_unsealed_delete();

CREATE TRIGGER journal_append_only BEFORE DELETE OR UPDATE OR TRUNCATE ON public.journal_entries FOR EACH STATEMENT EXECUTE FUNCTION journal_reject_change();

CREATE TRIGGER journal_balanced AFTER INSERT ON public.journal_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION journal_reject_unbalanced();

CREATE TRIGGER users_counted AFTER INSERT OR DELETE ON public.users FOR EACH ROW EXECUTE FUNCTION log_list_count_change('users');

CREATE TRIGGER users_recounted AFTER UPDATE OF status, role, account_id ON public.users FOR EACH ROW WHEN (((old.status IS DISTINCT FROM new.status) OR (old.role IS DISTINCT FROM new.role) OR (old.account_id IS DISTINCT FROM new.account_id))) EXECUTE FUNCTION log_list_count_change('users');
