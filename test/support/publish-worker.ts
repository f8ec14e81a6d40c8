/**
 * A process of its own that publishes one delivery and is then stuck before it can write down that it did: what tests kill.
 * Arguments: the database's URL, the channel's name, the webhook's URL and its secret.
 */
import { makeWebhookChannel } from '../../src/clients/channel-webhook.ts'
import { makePublish } from '../../src/stages/publish.ts'
import { openDatabase } from '../../src/store/database.ts'

const [url = '', name = '', hook = '', secret = ''] = process.argv.slice(2)
const { db } = await openDatabase({ url })
const clock = { now: () => new Date() }
const webhook = makeWebhookChannel({ name, url: hook, secret, clock })
const stuck = {
  async send(...given: Parameters<typeof webhook.send>) {
    await webhook.send(...given)
    process.stdout.write('sent\n')
    return new Promise<never>(() => setInterval(() => undefined, 1000))
  },
}
const log = () => undefined
await makePublish({ db, clock, log, channels: new Map([[name, { channel: stuck, repeatable: true }]]) })()
