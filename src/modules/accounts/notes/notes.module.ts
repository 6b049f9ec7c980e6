import { Module } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { register } from '../../../platform/register';
import { ServiceModule } from '../../../platform/service-module';
import { CredentialListeners } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { UsersModule } from '../../users/users.module';
import { AccountsModule } from '../accounts.module';
import { AccountNotesController, noteResponse, NoteResponse, UserNotesController } from './notes.controllers';
import { noteSchema, NotesRepository } from './notes.repository';
import { Notes } from './notes.service';

/** Remarks of the back office about accounts and users. Those about a user are deleted with it. */
@Module({
  imports: [AuthModule, UsersModule, AccountsModule, SearchModule],
  controllers: [AccountNotesController, UserNotesController],
  providers: [
    Notes,
    NotesRepository,
    register(SearchSources, [Notes], (notes) => ({
      name: 'note',
      scope: null,
      response: NoteResponse,
      find: async (caller, text) => {
        const note = await notes.search(caller, text);
        if (note === null) return [];
        const { id, objectId } = note;
        return [{ id, accountId: isId('acc', objectId) ? objectId : null, object: noteResponse(note) }];
      },
    })),
    register(CredentialListeners, [NotesRepository], (repository) => ({
      name: 'notes',
      deleted: (tx, { subjectId }) => repository.deleteAllOf(tx, subjectId),
    })),
  ],
})
class NotesModule {}

export const notes: ServiceModule = {
  module: NotesModule,
  entities: [noteSchema],
  idPrefixes: ['note'],
  tags: [{ name: 'Notes', description: 'Remarks of the back office about accounts and users.' }],
};
