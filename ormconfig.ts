import { DataSource } from 'typeorm';
import { dataSourceOptions } from './src/platform/database/engine/data-source';
import { defineService } from './src/service/define-service';

/** The database as TypeORM's command line sees it (`npm run migration:generate`). */
export default new DataSource(
  dataSourceOptions(process.env['DATABASE_URL'] ?? '', 2, defineService().schema),
);
