/**
 * What the name of a field says about its value: a password looks like any word, a number under `phone` is a phone.
 *
 * Whole names only (the last segment of a dotted one): `max_tokens` is no token, `password_reset_url` no password.
 */
export type Sensitivity = 'none' | 'id' | 'secret' | 'phone' | 'card'

const IDS = ['traceid', 'spanid', 'parentspanid']

const SECRETS = [
  'password',
  'passwd',
  'pwd',
  'secret',
  'clientsecret',
  'authorization',
  'proxyauthorization',
  'apikey',
  'xapikey',
  'secretkey',
  'secretaccesskey',
  'awssecretaccesskey',
  'accesstoken',
  'refreshtoken',
  'idtoken',
  'authtoken',
  'sessiontoken',
  'privatekey',
  'cookie',
  'setcookie',
  'cvv',
  'cvc',
]

const PHONES = [
  'phone',
  'phonenumber',
  'mobile',
  'mobilenumber',
  'mobilephone',
  'telephone',
  'tel',
  'cellphone',
  'fax',
  'msisdn',
]

const CARDS = ['cardnumber', 'creditcard', 'creditcardnumber', 'pan']

const KNOWN: ReadonlyMap<string, Sensitivity> = new Map([
  ...IDS.map((name) => [name, 'id'] as const),
  ...SECRETS.map((name) => [name, 'secret'] as const),
  ...PHONES.map((name) => [name, 'phone'] as const),
  ...CARDS.map((name) => [name, 'card'] as const),
])

const NAME_CHARS_MAX = 200

export function sensitivityOf(name: string): Sensitivity {
  if (name === '' || name.length > NAME_CHARS_MAX) return 'none'
  const last = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('/')) + 1)
  return KNOWN.get(last.replace(/[_\- ]/g, '').toLowerCase()) ?? 'none'
}
