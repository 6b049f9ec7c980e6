import { Tx } from '../../../platform/database/tx';

/** Which events of a provider were processed: it sends each at least once. */
export abstract class ProviderEventsRepository {
  /** Notes an event together with its effect. @returns whether nobody has before */
  abstract claim(tx: Tx, id: string, now: Date): Promise<boolean>;
  /** Forgets events that are not sent again, a bounded number. @returns whether there may be more */
  abstract deleteOld(now: Date): Promise<boolean>;
}
