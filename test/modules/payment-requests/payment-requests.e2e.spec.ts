import { startTestService } from '../../support/service';
import { paymentRequestsSuite } from './payment-requests.suite';

describe('Payment requests (interface 4.5)', () => paymentRequestsSuite(() => startTestService()));
