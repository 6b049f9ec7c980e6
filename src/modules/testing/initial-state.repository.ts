import { Injectable } from '@nestjs/common';
import { Database } from '../../platform/database/database';

/** Tables of the service, and of its extensions. */
const TABLES = `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`;

/** The session then runs no triggers: those of the journal would reject the restoration. */
const AS_REPLICA = `SELECT set_config('session_replication_role', 'replica', true)`;

const DROP_COPY = 'DROP SCHEMA IF EXISTS initial_state CASCADE';

/** Few tables have rows after a start, so the others need no copy. */
const COPY = `DO $$ DECLARE name text; has_rows boolean;
BEGIN
  CREATE SCHEMA initial_state;
  FOR name IN ${TABLES} LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM public.%I)', name) INTO has_rows;
    IF has_rows THEN EXECUTE format('CREATE TABLE initial_state.%1$I AS TABLE public.%1$I', name); END IF;
  END LOOP;
END $$`;

/**
 * Waits for the changes that are in progress, for example by background work, which would otherwise outlive the
 * restoration. DELETE is faster than TRUNCATE here.
 */
const RESTORE = `DO $$ DECLARE name text;
BEGIN
  FOR name IN ${TABLES} ORDER BY tablename LOOP
    EXECUTE format('LOCK TABLE public.%I IN EXCLUSIVE MODE', name);
  END LOOP;
  FOR name IN ${TABLES} LOOP
    EXECUTE format('DELETE FROM public.%I', name);
    IF to_regclass(format('initial_state.%I', name)) IS NOT NULL THEN
      EXECUTE format('INSERT INTO public.%1$I OVERRIDING SYSTEM VALUE TABLE initial_state.%1$I', name);
    END IF;
  END LOOP;
END $$`;

/** What the database contained after the start of the service. The rows are kept in another schema of it. */
@Injectable()
export class InitialState {
  constructor(private readonly database: Database) {}

  /** Whether the user of the database may restore it, as superusers may. */
  async canBeRestored(): Promise<boolean> {
    const sql = `SELECT has_parameter_privilege('session_replication_role', 'SET') AS allowed`;
    const [row] = await this.database.query<{ allowed: boolean }>(sql, []);
    return row!.allowed;
  }

  /** Keeps what the database contains now. A database may contain many rows already, so the copy has no time limit. */
  async keep(): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(AS_REPLICA, []);
      tx.enqueue('SET LOCAL statement_timeout = 0', []);
      tx.enqueue(DROP_COPY, []);
      tx.enqueue(COPY, []);
    });
  }

  /** Lets the database contain again what was kept. */
  async restore(): Promise<void> {
    await this.database.transaction(async (tx) => {
      await tx.query(AS_REPLICA, []);
      tx.enqueue(RESTORE, []);
    });
  }
}
