import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { InputError } from '../../../../src/core/errors.ts'
import { jsonToProtobuf } from '../../../../src/core/trace/otlp/from-json.ts'
import { decodeOtlp, encodeOtlp } from '../../../../src/core/trace/otlp/message.ts'
import { decodeTraces } from '../../../../src/core/trace/otlp/spans.ts'
import { toOtlpJson } from '../../../../src/core/trace/otlp/to-json.ts'
import { anyRequest, CAPTURED, captured, spanIdOf, traceIdOf } from '../../../support/otlp-fixtures.ts'

const bytesOf = (value: unknown) => Buffer.from(typeof value === 'string' ? value : JSON.stringify(value))
const request = (span: unknown) => ({ resourceSpans: [{ scopeSpans: [{ spans: [span] }] }] })
const span = (given: object) => ({ traceId: traceIdOf(1), spanId: spanIdOf(1), ...given })
const only = (given: object) => {
  const { body, rejected, reasons } = jsonToProtobuf(bytesOf(request(span(given))))
  assert.equal(rejected, 0, reasons[0])
  return decodeTraces(body)[0]
}
const refusal = (value: unknown) => {
  try {
    jsonToProtobuf(bytesOf(value))
  } catch (error) {
    assert.ok(error instanceof InputError)
    return { code: error.code, message: error.message, at: error.at }
  }
  return assert.fail('was not refused')
}

describe('OTLP/JSON', () => {
  it('comes back as it was after protobuf and JSON, for any request', () => {
    fc.assert(
      fc.property(anyRequest, (given) => {
        const decoded = decodeOtlp(encodeOtlp(given))
        const { body, rejected } = jsonToProtobuf(bytesOf(toOtlpJson(decoded)))
        assert.equal(rejected, 0)
        assert.deepEqual(decodeOtlp(body), decoded)
        assert.deepEqual(encodeOtlp(decodeOtlp(body)), body)
      }),
    )
  })

  for (const name of CAPTURED) {
    it(`of ${name} comes out whole`, () => {
      const json = JSON.parse(captured(name).toString())
      const { body, rejected } = jsonToProtobuf(captured(name))
      assert.equal(rejected, 0)
      const spans = json.resourceSpans.flatMap((r: { scopeSpans: { spans: unknown[] }[] }) =>
        r.scopeSpans.flatMap((s) => s.spans),
      )
      assert.equal(decodeTraces(body).length, spans.length)
      assert.deepEqual(jsonToProtobuf(bytesOf(toOtlpJson(decodeOtlp(body)))).body, body)
    })
  }

  it('takes ids as hex in either case', () => {
    assert.equal(only({ traceId: 'ABCDEF00112233445566778899AABBCC' })?.traceId, 'abcdef00112233445566778899aabbcc')
  })

  it('keeps 64-bit integers exact, quoted or not', () => {
    const text = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"traceId":"${traceIdOf(1)}","spanId":"${spanIdOf(1)}",
      "startTimeUnixNano":1796076070061000001,"endTimeUnixNano":"1796076070061000003",
      "attributes":[{"key":"n","value":{"intValue":-9007199254740993}}, {"key":"s","value":{"intValue":"42"}}]}]}]}]}`
    const read = decodeTraces(jsonToProtobuf(bytesOf(text)).body)[0]
    assert.equal(read?.startTimeUnixNano, 1796076070061000001n)
    assert.equal(read?.endTimeUnixNano, 1796076070061000003n)
    assert.deepEqual(read?.attributes, { n: '-9007199254740993', s: 42 })
  })

  it('takes enums by number and by name', () => {
    const named = only({ kind: 'SPAN_KIND_CLIENT', status: { code: 'STATUS_CODE_ERROR' } })
    const numbered = only({ kind: 3, status: { code: 2 } })
    assert.equal(named?.kind, 3)
    assert.deepEqual(named, numbered)
  })

  it('reads base64, NaN, infinity, null and unknown fields as the mapping says', () => {
    const read = only({
      droppedEventsCount: null,
      vendorField: { deep: [1] },
      attributes: [
        { key: 'bytes', value: { bytesValue: 'aGk=' } },
        { key: 'nan', value: { doubleValue: 'NaN' } },
        { key: 'inf', value: { doubleValue: '-Infinity' } },
        { key: 'none', value: null },
        { key: 'list', value: { arrayValue: {} } },
      ],
    })
    assert.deepEqual(Buffer.from(read?.attributes.bytes as Uint8Array).toString(), 'hi')
    assert.deepEqual([read?.attributes.nan, read?.attributes.inf, read?.attributes.none], [Number.NaN, -Infinity, null])
    assert.deepEqual(read?.attributes.list, [])
  })

  it('refuses one bad span with its path and takes the others', () => {
    const { body, rejected, reasons } = jsonToProtobuf(
      bytesOf({
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  span({ name: 5 }),
                  span({ kind: 'CLIENT' }),
                  span({ traceId: 'W47/95gDgQPSabYzgT/GDA==' }),
                  span({}),
                ],
              },
            ],
          },
        ],
      }),
    )
    assert.equal(rejected, 3)
    assert.equal(decodeTraces(body).length, 1)
    assert.equal(reasons[0], 'resourceSpans[0].scopeSpans[0].spans[0].name is 5, expected text')
    assert.match(reasons[1] ?? '', /spans\[1\].kind is "CLIENT", expected a number, or one of SPAN_KIND_UNSPECIFIED/)
    assert.match(reasons[2] ?? '', /traceId is "W47.*, expected hex: OTLP\/JSON writes ids as hex, not as base64/)
  })

  it('refuses values that nest too deep, at the span', () => {
    const deep = Array.from({ length: 60 }).reduce<object>((value) => ({ arrayValue: { values: [value] } }), {
      intValue: 1,
    })
    const { rejected, reasons } = jsonToProtobuf(bytesOf(request(span({ attributes: [{ key: 'deep', value: deep }] }))))
    assert.equal(rejected, 1)
    assert.match(reasons[0] ?? '', /expected a value nested at most 40 deep/)
  })

  it('takes an empty request as an empty success', () => {
    for (const empty of [{}, { resourceSpans: [] }, { resourceSpans: null }]) {
      assert.equal(jsonToProtobuf(bytesOf(empty)).body.length, 0)
    }
  })

  it('says what a body looks like that is no trace request', () => {
    assert.match(refusal({ resourceLogs: [] }).message, /looks like OTLP logs/)
    assert.match(refusal({ resourceMetrics: [] }).message, /looks like OTLP metrics/)
    assert.match(refusal({ resource_spans: [] }).message, /snake_case, OTLP\/JSON writes resourceSpans/)
    assert.match(refusal({ events: [] }).message, /its signal is unknown/)
    assert.equal(refusal([]).code, 'not_otlp')
    assert.equal(refusal('{"resourceSpans": [').code, 'bad_json')
    assert.equal(refusal({ resourceSpans: {} }).at, 'resourceSpans')
    assert.equal(
      refusal({ resourceSpans: [{ resource: 5 }] }).message,
      'resourceSpans[0].resource is 5, expected an object',
    )
  })

  it('answers any JSON with a body or an InputError', () => {
    const near = fc.constantFrom(
      'resourceSpans',
      'scopeSpans',
      'spans',
      'attributes',
      'traceId',
      'key',
      'value',
      'arrayValue',
      'values',
      'kind',
    )
    const { tree } = fc.letrec((tie) => ({
      tree: fc.oneof(
        { maxDepth: 7, depthSize: 'small' },
        fc.jsonValue({ maxDepth: 1 }),
        fc.array(tie('tree'), { maxLength: 3 }),
        fc.dictionary(near, tie('tree'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(tree, (value) => {
        try {
          jsonToProtobuf(bytesOf({ resourceSpans: value }))
        } catch (error) {
          assert.ok(error instanceof InputError, String(error))
        }
      }),
    )
  })
})
