export { PaymentRequests } from './application/payment-requests.service';
export { PaymentRequestsModule } from './payment-requests.module';
