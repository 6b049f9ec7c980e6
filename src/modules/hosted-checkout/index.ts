export { hostedCheckout, HostedCheckoutModule } from './hosted-checkout.module';
export { HostedCheckouts } from './application/hosted-checkouts.service';
