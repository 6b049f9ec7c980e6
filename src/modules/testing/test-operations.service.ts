import { Injectable } from '@nestjs/common';
import { DomainError } from '../../kernel/domain-error';
import { ConfigError } from '../../platform/config/settings';
import { PeriodicTasks } from '../../platform/jobs/periodic-tasks';
import { PaymentRequest, SimulatedOutcome, SimulatedPayments } from '../payment-requests';
import { PaymentProcessor } from '../processors';
import { FaultScripts, NewFault, ScriptedFault } from './fault-scripts';
import { InitialState } from './initial-state.repository';
import { TestClock } from './test-clock';

/** What a test controls of a service: its time, how payments end, its faults and its data. */
@Injectable()
export class TestOperations {
  constructor(
    readonly clock: TestClock,
    private readonly periodicTasks: PeriodicTasks,
    private readonly payments: SimulatedPayments,
    private readonly processor: PaymentProcessor,
    private readonly scripts: FaultScripts,
    private readonly initialState: InitialState,
  ) {}

  /** Keeps the state to which `reset` goes back. @throws ConfigError when the user of the database may not restore it */
  async start(): Promise<void> {
    if (!(await this.initialState.canBeRestored())) {
      throw new ConfigError('DATABASE_URL: its user must be a superuser with TEST_OPERATIONS');
    }
    await this.initialState.keep();
  }

  /**
   * Moves time forward, by a period such as `1 month` or to a time. What becomes due meanwhile is settled, expired, billed
   * and delivered in its order, and background work waits.
   * @returns the time that it is then
   * @throws DomainError `invalid_request` like `TestClock`; the first error of background work
   */
  async advance(step: string | Date): Promise<Date> {
    await this.periodicTasks.runUntil(
      () => this.clock.timeAfter(step),
      (time) => this.clock.moveTo(time),
    );
    return this.clock.now();
  }

  /** Ends a payment request as its customer would. @throws DomainError like `SimulatedPayments.simulate` */
  simulatePayment(id: string, outcome: SimulatedOutcome): Promise<PaymentRequest> {
    this.assertTestMode();
    return this.payments.simulate(id, outcome);
  }

  /** Lets the next requests for an operation fail. @throws DomainError `invalid_request` like `FaultScripts.script` */
  scriptFault(fault: NewFault): ScriptedFault {
    this.assertTestMode();
    return this.scripts.script(fault);
  }

  /** The faults that have not taken effect yet. */
  get faults(): readonly ScriptedFault[] {
    return this.scripts.list();
  }

  clearFaults(): void {
    this.scripts.clear();
  }

  /**
   * Goes back to the data after the start and to the time of the system, without faults. Call it while no request is in
   * progress. Nobody is logged in then.
   */
  async reset(): Promise<void> {
    await this.initialState.restore();
    this.clock.reset();
    this.scripts.clear();
  }

  private assertTestMode(): void {
    if (!this.processor.testMode) {
      throw new DomainError('forbidden', 'Payments are simulated and faults are scripted in test mode only.');
    }
  }
}
