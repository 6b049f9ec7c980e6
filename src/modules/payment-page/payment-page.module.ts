import { Module } from '@nestjs/common';
import { ServiceModule } from '../../platform/service-module';
import { HostedCheckoutModule } from '../hosted-checkout';
import { PaymentRequestsModule } from '../payment-requests';
import { ProcessorsModule } from '../processors';
import { UnappliedPaymentsModule } from '../unapplied-payments';
import { CustomerPayments } from './application/customer-payments.service';
import { bankTransferSettings } from './bank-transfer.settings';
import { PaymentPageRoutes } from './http/payment-page.routes';

/** The page on which customers pay. */
@Module({
  imports: [PaymentRequestsModule, HostedCheckoutModule, ProcessorsModule, UnappliedPaymentsModule],
  providers: [CustomerPayments, PaymentPageRoutes],
})
class PaymentPageModule {}

export const paymentPage: ServiceModule = {
  module: PaymentPageModule,
  settings: [bankTransferSettings],
};
