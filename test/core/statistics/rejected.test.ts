import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { cohenKappa } from '../../../src/core/statistics/agreement.ts'
import {
  betaCdf,
  betaQuantile,
  chiSquareTail,
  normalQuantile,
  tCdf,
  tQuantile,
} from '../../../src/core/statistics/distribution.ts'
import { clopperPearson, wilson } from '../../../src/core/statistics/interval.ts'
import { assertClose, assertInterval, assertRelative, type Row, readReference, rowsOf } from './reference.ts'
import {
  agrestiCaffo,
  agrestiCoull,
  barnard,
  clusteredErrors,
  idealBootstrap,
  type Sampled,
  surveyIntervals,
  surveyMean,
  wald,
  waldDifference,
} from './rejected-intervals.ts'
import {
  betaBinomialLog,
  betaMoment,
  credible,
  divergences,
  fisherTwoRows,
  hedgedBetting,
  hierarchicalPosterior,
  predictionPowered,
  sisonGlaz,
  wilcoxon,
} from './rejected-models.ts'

const limits = ([low, high]: readonly number[]) => ({ low: low as number, high: high as number })

describe('what is not offered, checked so that comparisons with it are fair', () => {
  it('Wald, Agresti–Coull and raw Jeffreys', () => {
    for (const row of rowsOf('binom_intervals')) {
      const { c, n, level } = row
      const what = `${c}/${n} at ${level}`
      assertInterval(wald(c, n, level), row.wald, 1e-12, what)
      assertInterval(agrestiCoull(c, n, level), row.agresti_coull, 1e-12, what)
      const raw = [(1 - level) / 2, (1 + level) / 2].map((p) => betaQuantile(p, c + 0.5, n - c + 0.5))
      assertInterval(limits(raw), row.jeffreys_raw, 1e-12, what)
    }
  })

  it('differences of two rates: Wald, Agresti–Caffo, Barnard', () => {
    for (const row of rowsOf('two_proportions')) {
      const what = `${row.c1}/${row.n1} against ${row.c2}/${row.n2}`
      assertInterval(waldDifference(row), row.ci_wald, 1e-9, what)
      assertInterval(agrestiCaffo(row), row['ci_agresti-caffo'], 1e-9, what)
      // scipy reads the tables by column: see decision 3.
      const asRead = {
        c1: row.c1,
        n1: row.c1 + row.c2,
        c2: row.n1 - row.c1,
        n2: row.n1 + row.n2 - row.c1 - row.c2,
      }
      if (asRead.n1 > 0 && asRead.n2 > 0) assertClose(barnard(asRead), row.barnard_two_sided_p, 1e-3, `Barnard ${what}`)
    }
  })

  it('case intervals through Wilson and Clopper–Pearson, and points that lie outside', () => {
    for (const { n, c, k, level, ...row } of rowsOf('passk_task_intervals'))
      for (const [name, method] of [
        ['wilson', wilson],
        ['clopper_pearson', clopperPearson],
      ] as const) {
        const { low, high } = method({ successes: c, trials: n, level })
        const what = `${name} ${c}/${n}, k ${k}`
        assertInterval({ low, high }, row[name].p, 1e-12, what)
        assertInterval({ low: low ** k, high: high ** k }, row[name].hat, 1e-12, what)
        assertInterval({ low: 1 - (1 - low) ** k, high: 1 - (1 - high) ** k }, row[name].at, 1e-12, what)
        const outside = row.pass_hat_k < low ** k - 1e-12 || row.pass_hat_k > high ** k + 1e-12
        assert.equal(outside, row[name].point_outside_hat, what)
      }
  })

  it('plug-in pass@k and pass^k, and the delta variance', () => {
    for (const { n, c, k, ...row } of rowsOf('passk')) {
      assertClose((c / n) ** k, row.plugin_hat, 1e-12, `${c}/${n}, ${k}`)
      assertClose(1 - (1 - c / n) ** k, row.plugin_at, 1e-12, `${c}/${n}, ${k}`)
      assertRelative(Number(row.pass_at_k_25digits), row.pass_at_k, 1e-15, 'digits')
    }
    for (const { n, k, p, ...row } of rowsOf('passk_variance')) {
      assertClose((k * p ** (k - 1)) ** 2 * ((p * (1 - p)) / n), row.delta_var_hat, 1e-12, `p ${p}`)
      assertClose(p ** k, row.mean_hat, 1e-12, `p ${p}`)
      assertClose(1 - (1 - p) ** k, row.mean_at, 1e-12, `p ${p}`)
    }
  })

  it('the bootstrap without chance: percentile and BCa', () => {
    for (const row of rowsOf('bootstrap_exact')) {
      const got = idealBootstrap(row.values)
      assertClose(got.sd, row.ideal_boot_sd, 1e-11, 'sd')
      assertInterval(limits(got.percentile), row.percentile95, 1e-11, 'percentile')
      assertClose(got.z0, row.z0, 1e-10, 'z0')
      assertClose(got.accel, row.accel, 1e-12, 'acceleration')
      assertInterval(limits(got.alphas), row.bca_alphas, 1e-10, 'alphas')
      assertInterval(limits(got.bca), row.bca95, 1e-11, 'BCa')
      assert.equal(got.support, row.n_support)
    }
  })

  it('standard errors for clusters, as R and others name them', () => {
    for (const row of readReference('ref_R').clustered_se) {
      const clusters = Object.values(row.trials) as number[][]
      const got = clusteredErrors(clusters)
      const wanted = {
        pooled: row.pooled_mean,
        naive: row.naive_se_ddof1,
        cr0: row.CR0_sandwich_HC0,
        cr1: row.CR1,
        cr2: row.CR2,
        df: row.CR2_satt_df,
        between: row.msb,
        within: row.msw,
        size: row.n0,
        icc: row.anova_icc,
        deff: row.deff,
      }
      for (const [name, value] of Object.entries(wanted))
        assertClose(got[name as keyof typeof got], value, 1e-9, `${row.name}, ${name}`)
      assertClose(row.miller_formula, got.cr0, 1e-9, 'Miller')
      assertClose(row.inspect_formula, got.cr1, 1e-9, 'Inspect')
      const half = tQuantile(0.975, got.df) * got.cr2
      assertInterval({ low: got.pooled - half, high: got.pooled + half }, row.CR2_ci95, 1e-9, 'CR2')
      const means = clusters.map((trials) => trials.reduce((a, b) => a + b, 0) / trials.length)
      const mean = means.reduce((a, b) => a + b, 0) / means.length
      assertClose(mean, row.mean_of_task_means, 1e-9, 'mean of means')
      const se = Math.sqrt(means.reduce((a, b) => a + (b - mean) ** 2, 0) / (means.length - 1) / means.length)
      assertClose(se, row.se_task_means, 1e-9, 'error of means')
    }
  })

  it('survey means and svyciprop, stratified and not, with and without a finite population', () => {
    const { survey_data: units, survey: rows } = readReference('ref_R')
    const designs = [
      [(unit: Sampled) => unit.stratum, false],
      [(unit: Sampled) => unit.stratum, true],
      [() => 'all', false],
    ] as const
    for (const [i, [by, finite]] of designs.entries()) {
      const row = rows[i] as Row
      const got = surveyMean(units, by, finite)
      assertClose(got.estimate, row.mean, 1e-9, row.name)
      assertClose(got.se, row.se, 1e-9, row.name)
      const lat = surveyMean(
        units.map((unit: Row) => ({ ...unit, y: unit.lat })),
        by,
        finite,
      )
      assertClose(lat.estimate, row.lat_mean, 1e-9, row.name)
      assertClose(lat.se, row.lat_se, 1e-9, row.name)
      const ways = surveyIntervals(got, row.degf, units.length)
      assertInterval(ways.mean, row.confint_t, 1e-9, row.name)
      assertInterval(ways.mean, row.svyciprop_mean, 1e-9, row.name)
      assertInterval(ways.logit, row.svyciprop_logit, 1e-9, row.name)
      assertInterval(ways.logit, row.svyciprop_xlogit, 1e-8, row.name)
      assertInterval(ways.asin, row.svyciprop_asin, 1e-9, row.name)
      assertInterval(ways.beta, row.svyciprop_beta, 1e-9, row.name)
      assertInterval(ways.beta, row.kg_manual, 1e-9, row.name)
      assertInterval(ways.wilsonT, row.wilson_neff_t, 1e-9, row.name)
      assertInterval(ways.wilsonZ, row.wilson_neff_z, 1e-9, row.name)
      assertClose(ways.effective, row.n_eff, 1e-9, row.name)
      assertClose(ways.adjusted, row.n_eff_kg, 1e-9, row.name)
    }
  })

  it('Welch’s and the paired t test of R, Wilcoxon’s test, the independence errors of κ', () => {
    const { a, b, paired, welch } = readReference('ref_R').paired_example
    const moments = (x: number[]) => {
      const mean = x.reduce((s, v) => s + v, 0) / x.length
      return { mean, per: x.reduce((s, v) => s + (v - mean) ** 2, 0) / (x.length - 1) / x.length, n: x.length }
    }
    const d = moments(b.map((value: number, i: number) => value - a[i]))
    assertClose(d.mean / Math.sqrt(d.per), paired.t, 1e-9, 'paired t')
    assertClose(2 * tCdf(-Math.abs(paired.t), d.n - 1), paired.p, 1e-9, 'paired p')
    const [x, y] = [moments(a), moments(b)]
    const t = (y.mean - x.mean) / Math.sqrt(x.per + y.per)
    const df = (x.per + y.per) ** 2 / (x.per ** 2 / (x.n - 1) + y.per ** 2 / (y.n - 1))
    assertClose(t, welch.t, 1e-9, 'Welch t')
    assertClose(df, welch.df, 1e-9, 'Welch df')
    assertClose(2 * tCdf(-Math.abs(t), df), welch.p, 1e-9, 'Welch p')
    for (const row of rowsOf('paired_tests')) {
      if (row.wilcoxon_W === undefined) continue
      const got = wilcoxon(row.d)
      assertClose(got.w, row.wilcoxon_W, 1e-12, 'W')
      assertClose(got.p, row.wilcoxon_approx_p, 1e-12, 'p')
    }
    for (const { table, se_null, kappa, po } of rowsOf('agreement', 'cohen')) {
      if (kappa === null) continue
      const n = table.flat().reduce((s: number, v: number) => s + v, 0)
      const rows = table.map((row: number[]) => row.reduce((s, v) => s + v, 0) / n)
      const columns = table.map(
        (_: number[], j: number) => table.reduce((s: number, row: number[]) => s + (row[j] as number), 0) / n,
      )
      const chance = rows.reduce((s: number, row: number, i: number) => s + row * columns[i], 0)
      const own = rows.reduce((s: number, row: number, i: number) => s + row * columns[i] * (row + columns[i]), 0)
      assertClose(Math.sqrt((chance + chance ** 2 - own) / n) / (1 - chance), se_null, 1e-10, 'null error')
      assertClose(cohenKappa({ table, level: 0.95 }).estimate, (po - chance) / (1 - chance), 1e-10, 'κ')
    }
  })

  it('the beta-binomial model: probabilities, posterior moments, the fit of R’s VGAM, the hierarchical posterior', () => {
    for (const { n, a, b, ...row } of rowsOf('betabinom', 'pmf')) {
      row.pmf.forEach((wanted: number, c: number) => {
        assertClose(Math.exp(betaBinomialLog(c, n, a, b)), wanted, 1e-10, `${c} of ${n}`)
      })
      assertClose(1 / (a + b + 1), row.icc, 1e-12, 'icc')
      assertClose((n * a) / (a + b), row.mean, 1e-12, 'mean')
    }
    for (const { post, ...row } of rowsOf('betabinom', 'posterior')) {
      assertInterval(credible(post[0], post[1]), row.eq_tail95, 1e-10, 'equal tails')
      assertClose(1 - betaCdf(0.9, post[0], post[1]), row['p_gt_0.9'], 1e-10, 'over .9')
      for (const k of [1, 2, 3, 5]) {
        assertClose(betaMoment(post[0], post[1], k), row[`E_p^${k}`], 1e-10, `p^${k}`)
        assertClose(1 - betaMoment(post[1], post[0], k), row[`E_passat_${k}`], 1e-10, `pass@${k}`)
      }
    }
    const fit = rowsOf('betabinom', 'mle')[0]
    const fitted = (a: number, b: number) =>
      fit.data.reduce((total: number, [c, n]: [number, number]) => total + betaBinomialLog(c, n, a, b), 0)
    assertClose(fitted(fit.a, fit.b), fit.loglik, 1e-9, 'likelihood')
    assertClose(fitted(fit.a, fit.b), readReference('ref_R').betabinomial_vglm.loglik, 1e-9, 'VGAM')
    for (const [da, db] of [
      [1e-3, 0],
      [-1e-3, 0],
      [0, 1e-3],
      [0, -1e-3],
    ] as const)
      assert.ok(fitted(fit.a + da, fit.b + db) < fitted(fit.a, fit.b))
    for (const row of rowsOf('betabinom', 'hier_posterior_icc_uniform')) {
      const got = hierarchicalPosterior(fit.data, row.k)
      assertClose(got.mean, row.mean, row.tol, `k ${row.k}`)
      assertInterval(got, [row.q025, row.q975], row.tol * 1.5, `k ${row.k}`)
    }
  })

  it('prediction-powered inference, plain and tuned', () => {
    for (const row of rowsOf('ppi')) {
      const ask = (lambda: number) =>
        predictionPowered(row.y, row.judge_labelled, row.judge_unlabelled_pass, row.N, lambda)
      const plain = ask(1)
      assertClose(plain.point, row.ppi_lambda1_point, 1e-10, 'point')
      assertInterval(plain, row.ppi_lambda1_ci95, 1e-10, 'interval')
      assertClose(plain.point - normalQuantile(0.95) * plain.error, row.one_sided_lower_lambda1[0], 1e-10, 'one-sided')
      const tuned = ask(row.lambda_closed_form_cov_over_var_1_plus_n_over_N)
      assertClose(tuned.point, row.closed_form_point, 1e-10, 'tuned')
      assertInterval(tuned, row.closed_form_ci95, 1e-10, 'tuned')
    }
  })

  it('divergences of two mixes, the exact test of R, joint shares of Sison and Glaz', () => {
    for (const row of rowsOf('drift_categories')) {
      if (row.method === 'sison-glaz') {
        const got = sisonGlaz(row.counts, row.alpha)
        row.ci.forEach((wanted: [number, number], i: number) => {
          assertInterval(got[i], wanted, 1e-9, `${row.counts}`)
        })
      }
      if (row.table === undefined) continue
      const got = divergences(row.table[0], row.table[1])
      assertClose(got.g, row.G, 1e-9, 'G')
      assertClose(chiSquareTail(got.g, row.df), row.G_p, 1e-9, 'G, p')
      assertClose(got.tv, row.tv, 1e-12, 'TV')
      assertClose(got.js, row.js_divergence_nats, 1e-12, 'JS')
      assertClose(got.hellinger, row.hellinger, 1e-8, 'Hellinger')
      if (row.psi === null) assert.equal(got.psi, null)
      else assertClose(got.psi, row.psi, 1e-9, 'PSI')
    }
    for (const row of readReference('ref_R').fisher_rxc)
      assertClose(fisherTwoRows(row.table[0], row.table[1]), row.p, 1e-9, 'Fisher')
  })

  it('the hedged betting sequence', () => {
    const row = rowsOf('confseq', 'betting_cs_hedged_predmix_eb')[0]
    const got = hedgedBetting(row.x, row.alpha, row.breaks)
    for (const [t, wanted] of Object.entries(row.at as Record<string, [number, number]>))
      assertInterval(got[Number(t) - 1], wanted, 1.1e-4, `after ${t}`)
  })
})
