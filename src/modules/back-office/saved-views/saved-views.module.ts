import { Module } from '@nestjs/common';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { CredentialListeners } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { SavedViews } from './saved-views.service';
import { savedViewSchema, SavedViewsRepository } from './saved-views.repository';
import { SavedViewsController } from './saved-views.controller';

/** Filters of lists under a name. What a user does not share is deleted with the user. */
@Module({
  imports: [AuthModule],
  controllers: [SavedViewsController],
  providers: [
    SavedViews,
    SavedViewsRepository,
    register(CredentialListeners, [SavedViewsRepository], (repository) => ({
      name: 'saved views',
      deleted: (tx, { subjectId }) => repository.deleteOwnOf(tx, subjectId),
    })),
  ],
})
class SavedViewsModule {}

export const savedViews: ServiceModule = {
  module: SavedViewsModule,
  entities: [savedViewSchema],
  idPrefixes: ['view'],
  tags: [{ name: 'Saved views', description: 'Filters of lists under a name, for the back office.' }],
};
