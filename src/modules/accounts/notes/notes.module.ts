import { Module, OnModuleInit } from '@nestjs/common';
import { isId } from '../../../kernel/ids';
import { ServiceModule } from '../../../platform/service-module';
import { CredentialListeners } from '../../auth';
import { AuthModule } from '../../auth/auth.module';
import { SearchSources } from '../../back-office';
import { SearchModule } from '../../back-office/search/search.module';
import { UsersModule } from '../../users/users.module';
import { AccountsModule } from '../accounts.module';
import { Notes } from './application/notes.service';
import { NotesRepository } from './domain/notes.repository';
import { AccountNotesController, UserNotesController } from './http/notes.controllers';
import { noteResponse } from './http/notes.dto';
import { noteSchema } from './infrastructure/note.schema';
import { TypeormNotesRepository } from './infrastructure/typeorm-notes.repository';

/** Remarks of the back office about accounts and users. Those about a user are deleted with it. */
@Module({
  imports: [AuthModule, UsersModule, AccountsModule, SearchModule],
  controllers: [AccountNotesController, UserNotesController],
  providers: [Notes, { provide: NotesRepository, useClass: TypeormNotesRepository }],
})
class NotesModule implements OnModuleInit {
  constructor(
    private readonly credentials: CredentialListeners,
    private readonly repository: NotesRepository,
    private readonly notes: Notes,
    private readonly search: SearchSources,
  ) {}

  onModuleInit(): void {
    this.search.register({
      name: 'note',
      scope: null,
      find: async (caller, text) => {
        const note = await this.notes.search(caller, text);
        if (note === null) return [];
        const { id, objectId } = note;
        return [{ id, accountId: isId('acc', objectId) ? objectId : null, object: noteResponse(note) }];
      },
    });
    this.credentials.register({
      name: 'notes',
      deleted: (tx, { subjectId }) => this.repository.deleteAllOf(tx, subjectId),
    });
  }
}

export const notes: ServiceModule = {
  module: NotesModule,
  entities: [noteSchema],
  idPrefixes: ['note'],
  tags: [{ name: 'Notes', description: 'Remarks of the back office about accounts and users.' }],
};
