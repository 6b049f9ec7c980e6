export { TransactionsModule } from './transactions.module';
