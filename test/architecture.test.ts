/**
 * The house rules as a test: a style that no test enforces is a wish. Layers, cycles (types included), purity of core,
 * lengths, names, opening comments. Function length is biome's rule; that it is switched on is checked here.
 */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, it } from 'node:test'

const ROOT = path.join(import.meta.dirname, '..')
const FILE_LINES_MAX = 300
const FUNCTION_LINES_MAX = 70

type Source = { readonly file: string; readonly text: string; readonly imports: readonly string[] }

const sources: readonly Source[] = readdirSync(path.join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => path.join('src', name))
  .sort()
  .map((file) => {
    const text = readFileSync(path.join(ROOT, file), 'utf8')
    return { file, text, imports: importsOf(file, text) }
  })

function importsOf(file: string, text: string): string[] {
  const found = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\s[^'"\n;]*(?:\n[^'"\n;]*)*?from\s+['"]([^'"]+)['"]|import\(\s*['"]([^'"]+)['"]\s*\)|(?:^|\n)import\s+['"]([^'"]+)['"]/g,
    ),
  ]
  return found.map((match) => {
    const name = match[1] ?? match[2] ?? match[3] ?? ''
    return name.startsWith('.') ? path.join(path.dirname(file), name) : name
  })
}

function layerOf(file: string): string {
  const parts = file.split(path.sep)
  return parts.length === 2 ? (parts[1] ?? '') : (parts[1] ?? '')
}

/** What each layer may import of ours. A stage never sees a sibling; only app.ts and main.ts know all. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  core: ['core'],
  store: ['core', 'store'],
  clients: ['core', 'clients'],
  stages: ['core', 'store'],
  http: ['core', 'store', 'http'],
  cli: ['core', 'store', 'cli', 'app.ts', 'config.ts', 'config-shape.ts', 'telemetry.ts'],
  'config-shape.ts': ['core'],
  'config.ts': ['core', 'config-shape.ts'],
  'telemetry.ts': ['core'],
  'app.ts': ['core', 'store', 'clients', 'stages', 'http', 'config.ts', 'config-shape.ts', 'telemetry.ts', 'app'],
  app: ['core', 'store', 'clients', 'stages', 'http', 'config.ts', 'config-shape.ts', 'telemetry.ts', 'app'],
  'main.ts': ['core', 'cli', 'app.ts', 'config.ts', 'telemetry.ts'],
}

/** Packages that core may use: they compute and touch nothing. node:crypto for hashes only. */
const PURE_PACKAGES = /^(zod|ajv(\/.*)?|ajv-formats|protobufjs(\/.*)?|cron-parser|@stdlib\/.*|node:crypto|node:buffer)$/
const DATABASE_PACKAGES = /^(kysely(\/.*)?|pg|@electric-sql\/pglite(\/.*)?|pg-boss)$/
const BANNED_NAME =
  /(^|[-/])(utils?|helpers?|common|misc|manager|service|processor|handler|data|info|item|index)(-|\.ts$)/

describe('the architecture', () => {
  it('lets each layer import only what it may', () => {
    const wrong: string[] = []
    for (const { file, imports } of sources) {
      const layer = layerOf(file)
      const allowed = MAY_IMPORT[layer]
      assert.ok(allowed, `${file} lies in no known layer`)
      for (const target of imports.filter((name) => name.startsWith(`src${path.sep}`))) {
        if (!allowed.includes(layerOf(target))) wrong.push(`${file} imports ${target}`)
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('keeps stages from knowing each other', () => {
    const wrong = sources.flatMap(({ file, imports }) =>
      imports
        .filter(
          (target) =>
            layerOf(file) === 'stages' &&
            !file.endsWith('pipeline.ts') &&
            target.startsWith(path.join('src', 'stages')),
        )
        .map((target) => `${file} imports ${target}`),
    )
    assert.deepEqual(wrong, [])
  })

  it('keeps packages in their layers', () => {
    const wrong: string[] = []
    for (const { file, imports } of sources) {
      const layer = layerOf(file)
      for (const name of imports.filter((n) => !n.startsWith(`src${path.sep}`) && !n.startsWith('..'))) {
        if (layer === 'core' && !PURE_PACKAGES.test(name)) wrong.push(`${file} imports ${name}`)
        if (layer === 'stages' && !name.startsWith('node:') && !/^kysely$/.test(name))
          wrong.push(`${file} imports ${name}`)
        if ((layer === 'clients' || layer === 'http' || layer === 'cli') && DATABASE_PACKAGES.test(name)) {
          wrong.push(`${file} imports ${name}`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })

  it('has no import cycle, types included', () => {
    const graph = new Map(
      sources.map(({ file, imports }) => [file, imports.filter((name) => name.startsWith(`src${path.sep}`))]),
    )
    const done = new Set<string>()
    const visit = (file: string, trail: readonly string[]): void => {
      const at = trail.indexOf(file)
      assert.ok(at < 0, `cycle: ${[...trail.slice(at), file].join(' → ')}`)
      if (done.has(file)) return
      for (const next of graph.get(file) ?? []) visit(next, [...trail, file])
      done.add(file)
    }
    for (const file of graph.keys()) visit(file, [])
  })

  it('keeps core free of clock, chance, network and disk', () => {
    const impure =
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandomUUID\b|\brandomBytes\b|\bfetch\(|\bperformance\.now|\bsetTimeout\(|\bsetInterval\(|\bprocess\.|\bconsole\./
    const wrong = sources
      .filter(({ file }) => layerOf(file) === 'core')
      .flatMap(({ file, text }) =>
        withoutComments(text)
          .split('\n')
          .filter((line) => impure.test(line))
          .map((line) => `${file}: ${line.trim()}`),
      )
    assert.deepEqual(wrong, [])
  })

  it('reads the environment in config.ts alone and exits in main.ts alone', () => {
    const wrong = sources.flatMap(({ file, text }) => {
      const code = withoutComments(text)
      return [
        ...(file !== path.join('src', 'config.ts') && /process\.env\b/.test(code) ? [`${file} reads process.env`] : []),
        ...(file !== path.join('src', 'main.ts') && /process\.(exit\b|exitCode)/.test(code)
          ? [`${file} exits the process`]
          : []),
      ]
    })
    assert.deepEqual(wrong, [])
  })

  it(`keeps files to ${FILE_LINES_MAX} lines`, () => {
    const long = sources.filter(({ text }) => text.split('\n').length - 1 > FILE_LINES_MAX).map(({ file }) => file)
    assert.deepEqual(long, [])
  })

  it(`has biome refuse functions over ${FUNCTION_LINES_MAX} lines`, () => {
    const biome = JSON.parse(readFileSync(path.join(ROOT, 'biome.json'), 'utf8'))
    const rule = biome.linter.rules.complexity.noExcessiveLinesPerFunction
    assert.equal(rule.level, 'error')
    assert.equal(rule.options.maxLines, FUNCTION_LINES_MAX)
  })

  it('names files for what they are', () => {
    assert.deepEqual(
      sources.filter(({ file }) => BANNED_NAME.test(file)).map(({ file }) => file),
      [],
    )
  })

  it('opens each file with what it is', () => {
    assert.deepEqual(
      sources.filter(({ text }) => !/^(#!.*\n)?\/\*\*/.test(text)).map(({ file }) => file),
      [],
    )
  })

  it('leaves no promise in the code and no line for the console outside the command line', () => {
    const wrong = sources.flatMap(({ file, text }) => [
      ...(/\b(TODO|FIXME|XXX|HACK)\b/.test(text) ? [`${file} holds a promise`] : []),
      ...(/console\./.test(withoutComments(text)) ? [`${file} writes to the console`] : []),
    ])
    assert.deepEqual(wrong, [])
  })
})

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|\s)\/\/.*$/gm, '$1')
}
