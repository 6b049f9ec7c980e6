export { paymentEmails } from './payment-emails.module';
