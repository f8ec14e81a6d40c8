import assert from 'node:assert/strict'
import { it } from 'node:test'
import { casesById, importedCases } from '../../src/store/cases.ts'
import { type CaseImport, importCases } from '../../src/store/import-cases.ts'
import { importTrials } from '../../src/store/import-trials.ts'
import { onBothEngines } from '../support/databases.ts'
import { eachOf, NOW, PLAIN, unique } from '../support/replaying.ts'

onBothEngines('importing cases', (get) => {
  async function importing(suite: string, lines: readonly unknown[], given: Partial<CaseImport> = {}) {
    const { db } = await get()
    const texts = lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line)))
    return importCases(db, { suite, lines: eachOf(texts), redact: PLAIN, now: NOW, ...given })
  }

  it('takes text and objects, with a system text and a reference, and gives an id where there is none', async () => {
    const { db } = await get()
    const suite = unique('suite')
    const id = unique('mine')
    const { caseIds } = await importing(suite, [
      { id, input: 'hello', system: 'You are kind.', reference: 'hi' },
      { input: { question: 'why', deep: [1] } },
    ])
    assert.equal(caseIds[0], id)
    const cases = await casesById(db, caseIds)
    const mine = cases.find((c) => c.id === id)
    const other = cases.find((c) => c.id !== id)
    assert.deepEqual(mine?.input, { system: 'You are kind.', userInput: 'hello', messages: [] })
    assert.equal(mine?.reference, 'hi')
    assert.deepEqual(other?.input.userInput, { question: 'why', deep: [1] })
    assert.deepEqual([other?.p, other?.pDraw, other?.origin, other?.reference], [null, null, 'import', null])
    assert.deepEqual(
      (await importedCases(db, suite)).map((c) => c.id),
      [...caseIds].sort(),
    )
  })

  it('changes nothing when the same file comes again', async () => {
    const suite = unique('suite')
    const lines = [{ id: unique('same'), input: 'x' }, { input: 'y' }]
    assert.deepEqual(await importing(suite, lines), await importing(suite, lines))
  })

  it('refuses to change a case, and a case that is there twice', async () => {
    const suite = unique('suite')
    const id = unique('fixed')
    await importing(suite, [{ id, input: 'x' }])
    await assert.rejects(importing(suite, [{ id, input: 'y' }]), /line 1: case .* exists with another input/)
    await assert.rejects(importing(unique('suite'), [{ id, input: 'x' }]), /line 1: case .* belongs to suite/)
    await assert.rejects(importing(suite, [{ input: 'z' }, { input: 'z' }]), /line 2: case .* stands on line 1 already/)
  })

  it('refuses a bad line and stores none', async () => {
    const { db } = await get()
    const suite = unique('suite')
    await assert.rejects(importing(suite, [{ input: 'x' }, { input: 5 }]), /^InputError: line 2: input 5 /)
    await assert.rejects(importing(suite, [{ input: '' }]), /line 1: input/)
    await assert.rejects(importing(suite, [{ input: 'x', refrence: 1 }]), /line 1: unknown key "refrence"/)
    await assert.rejects(importing(suite, []), { code: 'no_cases' })
    assert.deepEqual(await importedCases(db, suite), [])
  })

  it('fills in a case that trials were imported for before', async () => {
    const { db } = await get()
    const suite = unique('suite')
    const id = unique('early')
    const line = { case: id, trial: 1, target: 't', version: '1', status: 'completed', verdict: 'pass' }
    const name = unique('replay')
    await importTrials(db, {
      id: name,
      replayName: name,
      lines: eachOf([JSON.stringify(line)]),
      redact: PLAIN,
      now: NOW,
    })
    await importing(suite, [{ id, input: 'now known' }])
    assert.equal((await casesById(db, [id]))[0]?.input.userInput, 'now known')
    await assert.rejects(importing(suite, [{ id, input: 'changed' }]), /exists with another input/)
  })

  it('redacts before it stores', async () => {
    const { db } = await get()
    const redact = { value: <T>(value: T) => JSON.parse(JSON.stringify(value).replaceAll('secret', '[hidden]')) as T }
    const { caseIds } = await importing(unique('suite'), [{ input: 'my secret', reference: ['secret'] }], { redact })
    const [aCase] = await casesById(db, caseIds)
    assert.deepEqual([aCase?.input.userInput, aCase?.reference], ['my [hidden]', ['[hidden]']])
  })
})
