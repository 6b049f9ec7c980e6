import { exchange } from './api';
import { Failure } from './failure';

/** The page says so in a header of its own, also where it shows no payment request. */
const TEST_MODE = /<header>\s*<p>\s*<strong>Test mode<\/strong>/;

/** The page of the sandbox at the service itself, wherever its customers find it. It takes no key. */
export class PaymentPage {
  constructor(private readonly serviceUrl: string) {}

  /** Whether no real money moves. Only the payment page shows it. */
  async isInTestMode(): Promise<boolean> {
    const { body } = await exchange(`${this.serviceUrl}/pay/unknown`, {
      headers: { 'Accept-Language': 'en' },
    });
    return TEST_MODE.test(body.toString('utf8'));
  }

  /**
   * Chooses an outcome as a customer does in the sandbox.
   * @param declines the number of declined attempts that the page shows
   * @throws Failure where payments are not simulated
   */
  async choose(paymentUrl: string, outcome: 'succeeded' | 'declined', declines = 0): Promise<void> {
    const secret = encodeURIComponent(paymentUrl.split('/').at(-1)!);
    const { status } = await exchange(`${this.serviceUrl}/pay/${secret}`, {
      method: 'POST',
      body: new URLSearchParams({ outcome, declines: String(declines) }),
    });
    if (status !== 303)
      throw new Failure(
        `The payment page responds with ${status}. Only the sandbox (PROCESSOR=sandbox) simulates payments.`,
      );
  }
}
