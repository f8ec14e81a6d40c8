/**
 * `assay migrate`: the database's shape. It also runs at each start; by hand it is for those who want it apart from that.
 */
import { databasePlace, takeDataFolder } from '../app.ts'
import { migrate, migrateDown, migrator, openDatabase } from '../store/database.ts'
import { configOf } from './client.ts'
import type { Command } from './command.ts'

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the database to the newest shape, or one step back',
  usage: '[--down] [--list]',
  help: `
  --down           undo the newest step (the data of its tables is lost)
  --list           only say which steps have run
`,
  flags: { down: { type: 'boolean' }, list: { type: 'boolean' } },
  isLocal: true,
  async run(flags, _words, io) {
    const config = configOf(flags)
    const ownership = takeDataFolder(config)
    const database = await openDatabase(databasePlace(config))
    try {
      if (flags.list === true) {
        for (const step of await migrator(database.db).getMigrations()) {
          io.out(`${step.name}  ${step.executedAt?.toISOString() ?? 'not yet'}\n`)
        }
        return 0
      }
      const ran = flags.down === true ? await migrateDown(database.db) : await migrate(database.db)
      io.out(ran.length === 0 ? 'Nothing to do.\n' : `${flags.down === true ? 'Undone' : 'Done'}: ${ran.join(', ')}\n`)
      return 0
    } finally {
      await database.close()
      ownership?.release()
    }
  },
}
