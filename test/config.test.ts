import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { type Environment, loadConfig, readConfig, targetOf } from '../src/config.ts'
import { ConfigError } from '../src/core/errors.ts'

const RULES = 'sampling: { rules: [{ name: rest, sampler: { type: always } }] }\n'
const read = (text: string, env: Environment = {}) => readConfig(text, 'assay.yaml', {}, env)

function problem(text: string, env: Environment = {}): string {
  try {
    read(text, env)
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error))
    return error.message
  }
  return assert.fail('the configuration was accepted')
}

describe('the configuration', () => {
  it('runs as it is shipped', () => {
    const config = loadConfig({}, {})
    assert.equal(config.server.port, 4318)
    assert.equal(config.sampling.decisionDelay, 30_000)
    assert.equal(config.databaseUrl, null)
  })

  it('holds the graders of the sample agent as that agent has them', () => {
    const root = path.join(import.meta.dirname, '..')
    const ours = parse(readFileSync(path.join(root, 'config/assay.yaml'), 'utf8'))
    const theirs = parse(readFileSync(path.join(root, 'examples/support-agent/graders.yaml'), 'utf8'))
    assert.deepEqual(ours.graders, theirs.graders)
  })

  it('of the container starts with an API key and not without', () => {
    const file = path.join(import.meta.dirname, '../config/docker.yaml')
    assert.equal(loadConfig({ config: file }, { ASSAY_API_KEY: 'k' }).server.host, '0.0.0.0')
    assert.throws(() => loadConfig({ config: file }, {}), /reachable from other machines.*ASSAY_API_KEY/)
  })

  it('parses every file of the folder', () => {
    for (const name of readdirSync(path.join(import.meta.dirname, '../config')).filter((n) => n.endsWith('.yaml'))) {
      loadConfig({ config: path.join(import.meta.dirname, '../config', name) }, { ASSAY_API_KEY: 'k' })
    }
  })

  it('names line, place and value of an unknown key', () => {
    assert.match(problem(`${RULES}server:\n  prot: 4318\n`), /^assay\.yaml, line 3: server\.prot: unknown key$/)
  })

  it('names a wrong value by line and by the name of what it belongs to', () => {
    const text = `${RULES}targets:\n  - { name: bot, kind: http, url: "http://x/", timeout: soon }\n`
    assert.match(problem(text), /^assay\.yaml, line 3: targets\.1 \(bot\)\.timeout: "soon" is not a duration/)
  })

  it('says which field of a cron expression is wrong', () => {
    const suite =
      'suites: [{ name: s, from: {} }]\ntargets: [{ name: t, kind: http, url: "http://x/", version: "1" }]\n'
    const text = `${RULES}${suite}schedules:\n  - { name: weekly, cron: "99 99 99 99 99 99", suite: s, targets: [t] }\n`
    const message = problem(text)
    assert.match(message, /line 5: schedules\.1 \(weekly\)\.cron/)
    for (const field of ['second', 'minute', 'hour', 'day of month', 'month', 'day of week'])
      assert.match(message, new RegExp(field))
  })

  it('refuses a name that nothing has, and lists those there are', () => {
    const text = `${RULES}graders: [{ name: polite, kind: completion }]\nsuites: [{ name: s, from: {}, graders: [polit] }]\n`
    assert.match(problem(text), /suites\.1 \(s\)\.graders\.1: "polit" is not known; graders are polite/)
  })

  it('refuses a name that is used twice', () => {
    assert.match(problem(`${RULES}suites: [{ name: s, from: {} }, { name: s, from: {} }]\n`), /"s" is used twice/)
  })

  it('refuses k above trials, which would leave pass^k undefined', () => {
    const text = `${RULES}suites: [{ name: s, from: {} }]\ntargets: [{ name: t, kind: http, url: "http://x/", version: "1" }]\nschedules: [{ name: w, cron: "0 9 * * *", suite: s, targets: [t], trials: 2, k: 3 }]\n`
    assert.match(problem(text), /k 3 is above trials 2/)
  })

  it('refuses a secret that is written into it', () => {
    assert.match(
      problem(`${RULES}sources: [{ name: h, secrets: ["whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] }]\n`),
      /NAME of an environment variable/,
    )
  })

  it('names an environment variable that is not set', () => {
    assert.match(
      problem(`${RULES}sources: [{ name: h, secrets: [HELPDESK_SECRET] }]\n`),
      /source h: the environment variable HELPDESK_SECRET .* is not set/,
    )
  })

  it('takes a secret from a file that the environment names', () => {
    const file = path.join(mkdtempSync(path.join(os.tmpdir(), 'assay-secret-')), 'secret')
    writeFileSync(file, 'whsec_abc\n')
    const config = read(`${RULES}sources: [{ name: h, secrets: [HELPDESK_SECRET] }]\n`, { HELPDESK_SECRET_FILE: file })
    assert.deepEqual(config.sources, [{ name: 'h', secrets: ['whsec_abc'] }])
  })

  it('says where YAML itself is wrong', () => {
    assert.match(problem(`${RULES}targets: [\n`), /^assay\.yaml, line 3: Flow sequence/)
  })

  it('is frozen all the way down', () => {
    const config = read(RULES)
    assert.throws(() => Object.assign(config.sampling.rules[0] ?? {}, { name: 'x' }), TypeError)
  })
})

describe('a target reference', () => {
  const config = read(
    `${RULES}targets: [{ name: bot, kind: http, url: "http://x/", version: "1.0" }, { name: bare, kind: http, url: "http://x/" }]\n`,
  )

  it('names the version, or takes the configured one', () => {
    assert.equal(targetOf(config, 'bot').version, '1.0')
    assert.equal(targetOf(config, 'bot@2.0-rc.1').version, '2.0-rc.1')
  })

  it('is refused without an exact version', () => {
    assert.throws(() => targetOf(config, 'bare'), /target bare has no version/)
  })
})
