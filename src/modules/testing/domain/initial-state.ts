/** What the database contained after the start of the service. */
export abstract class InitialState {
  /** Whether the user of the database has the permission to restore it. */
  abstract canBeRestored(): Promise<boolean>;
  /** Keeps what the database contains now. */
  abstract keep(): Promise<void>;
  /** Lets the database contain again what was kept. */
  abstract restore(): Promise<void>;
}
