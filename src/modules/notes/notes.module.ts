import { Module, OnModuleInit } from '@nestjs/common';
import { ServiceModule } from '../../platform/service-module';
import { AccountsModule } from '../accounts';
import { AuthModule, CredentialListeners } from '../auth';
import { UsersModule } from '../users';
import { Notes } from './application/notes.service';
import { NotesRepository } from './domain/notes.repository';
import { AccountNotesController, UserNotesController } from './http/notes.controllers';
import { noteSchema } from './infrastructure/note.schema';
import { TypeormNotesRepository } from './infrastructure/typeorm-notes.repository';

/** Remarks of the back office about accounts and users. Those about a user are deleted with it. */
@Module({
  imports: [AuthModule, UsersModule, AccountsModule],
  controllers: [AccountNotesController, UserNotesController],
  providers: [Notes, { provide: NotesRepository, useClass: TypeormNotesRepository }],
})
class NotesModule implements OnModuleInit {
  constructor(
    private readonly credentials: CredentialListeners,
    private readonly repository: NotesRepository,
  ) {}

  onModuleInit(): void {
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
