import { ExtensionPoint } from '../../../kernel/extension-point';

/** A part of the service that moves real money, or only simulates that. */
interface MoneyMover {
  readonly name: string;
  readonly testMode: boolean;
}

/** What moves money. The console and the dashboard say above every page that it is in test mode. */
export class MoneyMovers extends ExtensionPoint<MoneyMover> {
  get areInTestMode(): boolean {
    return this.members.some(({ testMode }) => testMode);
  }
}
