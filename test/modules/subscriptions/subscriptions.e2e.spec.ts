import { startTestService } from '../../support/service';
import { subscriptionsSuite } from './subscriptions.suite';

describe('Subscriptions', () => subscriptionsSuite(() => startTestService()));
