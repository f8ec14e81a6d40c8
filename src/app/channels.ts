/**
 * The configured channels, each made for its kind, with whether sending twice does what sending once does.
 */
import path from 'node:path'
import { makeFileChannel } from '../clients/channel-file.ts'
import { makeMailChannel } from '../clients/channel-mail.ts'
import { makeWebhookChannel } from '../clients/channel-webhook.ts'
import type { ChannelSettings, Config } from '../config.ts'
import type { Clock } from '../core/ports.ts'
import type { PublishChannel } from '../stages/publish.ts'

export function makeChannels(config: Config, clock: Clock): ReadonlyMap<string, PublishChannel> {
  return new Map(config.channels.map((settings) => [settings.name, makeChannel(settings, config, clock)]))
}

/** A file folder is relative to the data folder, so that it moves with it. */
function makeChannel(settings: ChannelSettings, { dataFolder }: Config, clock: Clock): PublishChannel {
  switch (settings.kind) {
    case 'file':
      return { channel: makeFileChannel({ folder: path.resolve(dataFolder, settings.folder) }), repeatable: true }
    case 'webhook':
      return { channel: makeWebhookChannel({ ...settings, clock }), repeatable: true }
    case 'mail':
      return {
        channel: makeMailChannel({ url: settings.smtp, from: settings.from, to: settings.to }),
        repeatable: false,
      }
  }
}
