import { Client } from 'pg';

/** Tables of the service, and of its extensions. */
const TABLES = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;

/** Few tables have rows after a start, so the others need no copy. */
const KEEP = `CREATE SCHEMA initial_state;
DO $$ DECLARE name text; has_rows boolean;
BEGIN
  FOR name IN ${TABLES} LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', name) INTO has_rows;
    IF has_rows THEN EXECUTE format('CREATE TABLE initial_state.%1$I AS TABLE public.%1$I', name); END IF;
  END LOOP;
END $$`;

/** As a replica, the session runs no triggers: those of the journal would reject it. DELETE is faster than TRUNCATE here. */
const RESTORE = `DO $$ DECLARE name text;
BEGIN
  PERFORM set_config('session_replication_role', 'replica', true);
  FOR name IN ${TABLES} LOOP
    EXECUTE format('DELETE FROM public.%I', name);
    IF to_regclass(format('initial_state.%I', name)) IS NOT NULL THEN
      EXECUTE format('INSERT INTO public.%1$I OVERRIDING SYSTEM VALUE TABLE initial_state.%1$I', name);
    END IF;
  END LOOP;
END $$`;

/** Keeps what a database contains, in the database itself. Its user must be a superuser. */
export async function keepInitialState(database: Client): Promise<void> {
  await database.query(KEEP);
}

/** Lets the database contain again what `keepInitialState` has kept. */
export async function restoreInitialState(database: Client): Promise<void> {
  await database.query(RESTORE);
}
