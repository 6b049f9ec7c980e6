export { PaymentRequestsModule } from './payment-requests.module';
