/**
 * A process of its own that runs the replay stage on a database until the replay `killed` is finished: what tests kill.
 * Arguments: the database's place as JSON, and the target's URL.
 */

import { openDatabase } from '../../src/store/database.ts'
import { startBench } from './replaying.ts'
import { replayProgress } from './stored.ts'

const [place = '', url = ''] = process.argv.slice(2)
const database = await openDatabase(JSON.parse(place))
const { jobs, replay } = await startBench(database, { url, concurrency: 4, now: () => new Date() })
replay.start()
while ((await replayProgress(database.db, 'killed'))?.state === 'running') {
  await replay.sweep()
  await new Promise((resolve) => setTimeout(resolve, 50))
}
await jobs.stop(0)
await database.close()
