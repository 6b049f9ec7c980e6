import { Module } from '@nestjs/common';
import { ServiceModule } from '../../../platform/service-module';
import { ProcessorsModule } from '../../processors/processors.module';
import { HostedCheckoutModule } from '../checkout/hosted-checkout.module';
import { PaymentRequestsModule } from '../payment-requests.module';
import { UnappliedPaymentsModule } from '../unapplied-payments/unapplied-payments.module';
import { bankTransferSettings } from './bank-transfer.settings';
import { CustomerPayments } from './customer-payments.service';
import { PaymentPageRoutes } from './payment-page.routes';

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
