import type { DeliverySelection } from './webhook-deliveries.repository';

export type ReplaySelection = Omit<DeliverySelection, 'beforeId'>;

/** Delivers past events to an endpoint again, on behalf of the operator of the service. */
export abstract class DeliveryReplay {
  /** Counts what `run` would deliver. @throws DomainError `not_found`, `conflict` for a disabled endpoint */
  abstract count(endpointId: string, selection: ReplaySelection): Promise<number>;

  /**
   * Makes the deliveries due, the latest first, which workers then make. Each delivery is made due once, also when it
   * ends meanwhile.
   * @param progress is called with the count so far, once per transaction
   * @returns the count
   * @throws DomainError `not_found`, `conflict` for a disabled endpoint
   */
  abstract run(
    endpointId: string,
    selection: ReplaySelection,
    progress: (count: number) => void,
  ): Promise<number>;
}
