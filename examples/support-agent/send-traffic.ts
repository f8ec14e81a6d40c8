/**
 * Sends simulated production traffic to a running example agent:
 * `node examples/support-agent/send-traffic.ts [--agent URL] [--conversations 300] [--seed demo] [--feedback URL]`.
 *
 * Feedback is sent when `--feedback` names a webhook source; its secret comes from HELPDESK_SECRET.
 */
import { parseArgs } from 'node:util'
import { sendTraffic } from './traffic.ts'

const FEEDBACK_SHARE = 0.5

const { values } = parseArgs({
  options: {
    agent: { type: 'string', default: 'http://127.0.0.1:4100' },
    conversations: { type: 'string', default: '300' },
    seed: { type: 'string', default: 'demo' },
    feedback: { type: 'string' },
  },
})

const n = Number(values.conversations)
const secret = process.env.HELPDESK_SECRET
if (!Number.isInteger(n) || n < 1) {
  console.error(`--conversations ${values.conversations} is not allowed, expected a whole number of 1 or more`)
  process.exit(2)
}
if (values.feedback !== undefined && secret === undefined) {
  console.error('--feedback needs the secret of the webhook source in HELPDESK_SECRET')
  process.exit(2)
}

const result = await sendTraffic({
  agentUrl: values.agent,
  n,
  seed: values.seed,
  ...(values.feedback === undefined || secret === undefined
    ? {}
    : { feedback: { url: values.feedback, secret, share: FEEDBACK_SHARE } }),
})
console.log(JSON.stringify(result, null, 2))
