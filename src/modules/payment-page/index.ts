export { paymentPage } from './payment-page.module';
