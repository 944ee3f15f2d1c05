/**
 * Kubernetes' CEL library, as far as the base library does not have it. Regular expressions are RE2.
 */
import { type Environment, Optional } from '@marcbachmann/cel-js';
import ipaddr from 'ipaddr.js';
import { RE2JS } from 're2js';
import { isCidr, isIp } from '../api/cidr.ts';
import { equal } from '../api/merge.ts';
import { nameFaults } from '../api/names.ts';
import { isFormat } from '../server/structural/format.ts';
import { parseBillionths } from '../server/structural/quantity.ts';
import { registerComprehensions } from './comprehensions.ts';
import { registerOptionals } from './optionals.ts';

type Comparable = string | number | bigint;

/** The function that stands for `matches`, which the base library leaves to regular expressions of JavaScript. */
export const matchesName = 'matchesRe2';

const patterns = new Map<string, RE2JS>();
const mostPatterns = 1000;
const patternOf = (text: string): RE2JS => {
  let pattern = patterns.get(text);
  if (!pattern) {
    pattern = RE2JS.compile(text);
    if (patterns.size >= mostPatterns) patterns.clear();
    patterns.set(text, pattern);
  }
  return pattern;
};

const findAll = (text: string, pattern: string, most = -1): string[] => {
  const found = patternOf(pattern).matcher(text);
  const all: string[] = [];
  while ((most < 0 || all.length < most) && found.find()) all.push(found.group() ?? '');
  return all;
};

const registerRegex = (of: Environment): Environment =>
  of
    .registerFunction(`string.${matchesName}(string): bool`, (text: string, pattern: string) =>
      patternOf(pattern).matcher(text).find(),
    )
    .registerFunction(
      'string.find(string): string',
      (text: string, pattern: string) => findAll(text, pattern, 1)[0] ?? '',
    )
    .registerFunction('string.findAll(string): list<string>', (text: string, pattern: string) => findAll(text, pattern))
    .registerFunction('string.findAll(string, int): list<string>', (text: string, pattern: string, most: bigint) =>
      findAll(text, pattern, Number(most)),
    );

const ordered = (list: Comparable[]) => list.every((item, i) => i === 0 || list[i - 1]! <= item);
const extreme = (list: Comparable[], better: (a: Comparable, b: Comparable) => boolean): Comparable => {
  if (list.length === 0) throw new Error('called on empty list');
  return list.reduce((best, item) => (better(item, best) ? item : best));
};
const place = (list: unknown[], wanted: unknown, from: 'findIndex' | 'findLastIndex') =>
  BigInt(list[from]((item) => isSame(item, wanted)));
const isSame = (a: unknown, b: unknown): boolean => a === b || equal(a, b);
const distinct = (list: unknown[]): unknown[] => list.filter((item, i) => place(list, item, 'findIndex') === BigInt(i));
const sum = (list: unknown[]): unknown =>
  list.reduce(
    (total: number | bigint, item) =>
      typeof item === 'bigint' && typeof total === 'bigint' ? total + item : Number(total) + Number(item),
    0n,
  );

const registerLists = (of: Environment): Environment =>
  of
    .registerFunction('list.isSorted(): bool', (list: Comparable[]) => ordered([...list]))
    .registerFunction('list.sum(): dyn', (list: unknown[]) => sum([...list]))
    .registerFunction('list.min(): dyn', (list: Comparable[]) => extreme([...list], (a, b) => a < b))
    .registerFunction('list.max(): dyn', (list: Comparable[]) => extreme([...list], (a, b) => a > b))
    .registerFunction('list.indexOf(dyn): int', (list: unknown[], item: unknown) => place([...list], item, 'findIndex'))
    .registerFunction('list.lastIndexOf(dyn): int', (list: unknown[], item: unknown) =>
      place([...list], item, 'findLastIndex'),
    )
    .registerFunction('list.distinct(): list', (list: unknown[]) => distinct([...list]))
    .registerFunction('list.reverse(): list', (list: unknown[]) => [...list].reverse())
    .registerFunction('list.flatten(): list', (list: unknown[]) => [...list].flat())
    .registerFunction('list.sort(): list', (list: Comparable[]) =>
      [...list].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0)),
    )
    .registerFunction('list.slice(int, int): list', (list: unknown[], from: bigint, to: bigint) => {
      if (from < 0n || to < from || to > BigInt(list.length)) throw new Error(`cannot slice(${from}, ${to})`);
      return [...list].slice(Number(from), Number(to));
    });

class Sets {}
const registerSets = (of: Environment): Environment => {
  const includes = (list: unknown[], item: unknown) => [...list].some((one) => isSame(one, item));
  const contains = (a: unknown[], b: unknown[]) => [...b].every((item) => includes(a, item));
  return of
    .registerType('Sets', Sets as never)
    .registerConstant('sets', 'Sets', new Sets() as never)
    .registerFunction('Sets.contains(list, list): bool', (_: Sets, a: unknown[], b: unknown[]) => contains(a, b))
    .registerFunction(
      'Sets.equivalent(list, list): bool',
      (_: Sets, a: unknown[], b: unknown[]) => contains(a, b) && contains(b, a),
    )
    .registerFunction('Sets.intersects(list, list): bool', (_: Sets, a: unknown[], b: unknown[]) =>
      [...b].some((item) => includes(a, item)),
    );
};

const shownIn = (verb: string, digits: number, value: unknown): string => {
  switch (verb) {
    case 's':
      return Array.isArray(value) ? `[${value.map((item) => shownIn('s', digits, item)).join(', ')}]` : String(value);
    case 'd':
      return String(value);
    case 'f':
      return Number(value).toFixed(digits);
    case 'e':
      return Number(value)
        .toExponential(digits)
        .replace(/e([+-])(\d)$/, 'e$10$2');
    case 'b':
      return (typeof value === 'boolean' ? Number(value) : (value as bigint)).toString(2);
    case 'o':
      return (value as bigint).toString(8);
    case 'x':
    case 'X': {
      const hex = typeof value === 'string' ? Buffer.from(value).toString('hex') : (value as bigint).toString(16);
      return verb === 'x' ? hex : hex.toUpperCase();
    }
    default:
      throw new Error(`could not parse formatting clause: unrecognized formatting clause "${verb}"`);
  }
};

const formatted = (text: string, values: unknown[]): string => {
  let next = 0;
  return text.replace(/%(?:\.(\d{1,2}))?(.)/gs, (_, digits: string | undefined, verb: string) => {
    if (verb === '%') return '%';
    if (next >= values.length) throw new Error(`index ${next} out of range`);
    return shownIn(verb, Number(digits ?? 6), values[next++]);
  });
};

const characters = (text: string): string[] => [...text];

class Strings {}
const registerStrings = (of: Environment): Environment =>
  of
    .registerFunction('string.charAt(int): string', (text: string, at: bigint) => {
      const all = characters(text);
      if (at < 0n || at > BigInt(all.length)) throw new Error(`index out of range: ${at}`);
      return all[Number(at)] ?? '';
    })
    .registerFunction('string.reverse(): string', (text: string) => characters(text).reverse().join(''))
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) =>
      text.split(from).join(to),
    )
    .registerFunction(
      'string.replace(string, string, int): string',
      (text: string, from: string, to: string, n: bigint) => {
        const parts = text.split(from);
        const most = n < 0n ? parts.length : Number(n) + 1;
        return [...parts.slice(0, most - 1), parts.slice(most - 1).join(from)].join(to);
      },
    )
    .registerFunction('string.format(list): string', (text: string, values: unknown[]) => formatted(text, [...values]))
    .registerType('Strings', Strings as never)
    .registerConstant('strings', 'Strings', new Strings() as never)
    .registerFunction('Strings.quote(string): string', (_: Strings, text: string) => JSON.stringify(text));

class Url {
  readonly url: URL;
  constructor(text: string) {
    if (!isUrl(text))
      throw new Error(`URL parse error during conversion from string: parse "${text}": invalid URI for request`);
    this.url = new URL(text, 'http://none');
  }
}
const isUrl = (text: string): boolean => URL.canParse(text) || /^\/[^\s]*$/.test(text);
const isAbsolute = ({ url }: Url): boolean => url.host !== 'none';

const registerUrls = (of: Environment): Environment =>
  of
    .registerType('kubernetes.URL', Url as never)
    .registerFunction('isURL(string): bool', isUrl)
    .registerFunction('url(string): kubernetes.URL', (text: string) => new Url(text))
    .registerFunction('kubernetes.URL.getScheme(): string', (one: Url) =>
      isAbsolute(one) ? one.url.protocol.slice(0, -1) : '',
    )
    .registerFunction('kubernetes.URL.getHost(): string', (one: Url) => (isAbsolute(one) ? one.url.host : ''))
    .registerFunction('kubernetes.URL.getHostname(): string', (one: Url) =>
      isAbsolute(one) ? one.url.hostname.replace(/^\[|\]$/g, '') : '',
    )
    .registerFunction('kubernetes.URL.getPort(): string', ({ url }: Url) => url.port)
    .registerFunction('kubernetes.URL.getEscapedPath(): string', ({ url }: Url) => url.pathname)
    .registerFunction('kubernetes.URL.getQuery(): map', ({ url }: Url) =>
      Object.fromEntries([...new Set(url.searchParams.keys())].map((key) => [key, url.searchParams.getAll(key)])),
    );

type Address = ipaddr.IPv4 | ipaddr.IPv6;
class Ip {
  readonly address: Address;
  constructor(text: string) {
    if (!isIp(text)) throw new Error(`IP Address ${JSON.stringify(text)} parse error during conversion from string`);
    this.address = ipaddr.parse(text);
  }
  toString(): string {
    return this.address.toString();
  }
}
class Cidr {
  readonly address: Address;
  readonly bits: number;
  constructor(text: string) {
    if (!isCidr(text))
      throw new Error(`network address parse error during conversion from string: ${JSON.stringify(text)}`);
    [this.address, this.bits] = ipaddr.parseCIDR(text);
  }
  contains(address: Address): boolean {
    return address.kind() === this.address.kind() && address.match(this.address, this.bits);
  }
  toString(): string {
    return `${this.address}/${this.bits}`;
  }
}
const isIn =
  (...ranges: string[]) =>
  ({ address }: Ip) =>
    ranges.includes(address.range());

const registerAddresses = (of: Environment): Environment =>
  of
    .registerType('net.IP', Ip as never)
    .registerType('net.CIDR', Cidr as never)
    .registerFunction('isIP(string): bool', isIp)
    .registerFunction(
      'isIP(string, int): bool',
      (text: string, family: bigint) => isIp(text) && text.includes(':') === (family === 6n),
    )
    .registerFunction('ip(string): net.IP', (text: string) => new Ip(text))
    .registerFunction('string(net.IP): string', String)
    .registerFunction('net.IP.family(): int', ({ address }: Ip) => (address.kind() === 'ipv4' ? 4n : 6n))
    .registerFunction('net.IP.isUnspecified(): bool', isIn('unspecified'))
    .registerFunction('net.IP.isLoopback(): bool', isIn('loopback'))
    .registerFunction('net.IP.isLinkLocalUnicast(): bool', isIn('linkLocal'))
    .registerFunction('net.IP.isLinkLocalMulticast(): bool', ({ address }: Ip) =>
      /^(224\.0\.0\.|ff02:)/.test(address.toString()),
    )
    .registerFunction(
      'net.IP.isGlobalUnicast(): bool',
      (one: Ip) => !isIn('unspecified', 'loopback', 'linkLocal', 'multicast', 'broadcast')(one),
    )
    .registerFunction('isCIDR(string): bool', isCidr)
    .registerFunction('cidr(string): net.CIDR', (text: string) => new Cidr(text))
    .registerFunction('string(net.CIDR): string', String)
    .registerFunction('net.CIDR.containsIP(string): bool', (one: Cidr, text: string) =>
      one.contains(new Ip(text).address),
    )
    .registerFunction('net.CIDR.containsIP(net.IP): bool', (one: Cidr, ip: Ip) => one.contains(ip.address))
    .registerFunction('net.CIDR.containsCIDR(string): bool', (one: Cidr, text: string) => holds(one, new Cidr(text)))
    .registerFunction('net.CIDR.containsCIDR(net.CIDR): bool', holds)
    .registerFunction('net.CIDR.ip(): net.IP', ({ address }: Cidr) => new Ip(address.toString()))
    .registerFunction('net.CIDR.prefixLength(): int', ({ bits }: Cidr) => BigInt(bits))
    .registerFunction('net.CIDR.masked(): net.CIDR', ({ address, bits }: Cidr) => {
      const { IPv4, IPv6 } = ipaddr;
      const base = (address.kind() === 'ipv4' ? IPv4 : IPv6).networkAddressFromCIDR(`${address}/${bits}`);
      return new Cidr(`${base}/${bits}`);
    });
const holds = (outer: Cidr, inner: Cidr): boolean => inner.bits >= outer.bits && outer.contains(inner.address);

const billion = 10n ** 9n;
class Quantity {
  readonly billionths: bigint;
  constructor(of: string | bigint) {
    const amount = typeof of === 'bigint' ? of : parseBillionths(of);
    if (amount === undefined)
      throw new Error("quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
    this.billionths = amount;
  }
}
const compare = (a: bigint, b: bigint): bigint => (a < b ? -1n : a > b ? 1n : 0n);
const amountOf = (one: Quantity | bigint): bigint => (typeof one === 'bigint' ? one * billion : one.billionths);

const registerQuantities = (of: Environment): Environment => {
  of.registerType('kubernetes.Quantity', Quantity as never)
    .registerFunction('isQuantity(string): bool', (text: string) => parseBillionths(text) !== undefined)
    .registerFunction('quantity(string): kubernetes.Quantity', (text: string) => new Quantity(text))
    .registerFunction('kubernetes.Quantity.sign(): int', (one: Quantity) => compare(one.billionths, 0n))
    .registerFunction('kubernetes.Quantity.isInteger(): bool', (one: Quantity) => one.billionths % billion === 0n)
    .registerFunction('kubernetes.Quantity.asInteger(): int', (one: Quantity) => {
      if (one.billionths % billion !== 0n) throw new Error('cannot convert value to integer');
      return one.billionths / billion;
    })
    .registerFunction(
      'kubernetes.Quantity.asApproximateFloat(): double',
      (one: Quantity) => Number(one.billionths) / 1e9,
    );
  for (const other of ['kubernetes.Quantity', 'int'])
    of.registerFunction(
      `kubernetes.Quantity.add(${other}): kubernetes.Quantity`,
      (a: Quantity, b: Quantity | bigint) => new Quantity(a.billionths + amountOf(b)),
    ).registerFunction(
      `kubernetes.Quantity.sub(${other}): kubernetes.Quantity`,
      (a: Quantity, b: Quantity | bigint) => new Quantity(a.billionths - amountOf(b)),
    );
  return of
    .registerFunction('kubernetes.Quantity.compareTo(kubernetes.Quantity): int', (a: Quantity, b: Quantity) =>
      compare(a.billionths, b.billionths),
    )
    .registerFunction(
      'kubernetes.Quantity.isLessThan(kubernetes.Quantity): bool',
      (a: Quantity, b: Quantity) => a.billionths < b.billionths,
    )
    .registerFunction(
      'kubernetes.Quantity.isGreaterThan(kubernetes.Quantity): bool',
      (a: Quantity, b: Quantity) => a.billionths > b.billionths,
    );
};

class Semver {
  readonly parts: bigint[];
  readonly pre: string;
  constructor(text: string) {
    const [, major, minor, patch, pre = ''] = semverForm.exec(text) ?? [];
    if (major === undefined) throw new Error(`Invalid Semantic Version: ${JSON.stringify(text)}`);
    this.parts = [BigInt(major), BigInt(minor!), BigInt(patch!)];
    this.pre = pre;
  }
}
const semverForm = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/;
const comparePart = (a: string, b: string): bigint => {
  const [n, m] = [/^\d+$/.test(a), /^\d+$/.test(b)];
  if (n && m) return compare(BigInt(a), BigInt(b));
  if (n !== m) return n ? -1n : 1n;
  return a < b ? -1n : a > b ? 1n : 0n;
};
const compareSemver = (a: Semver, b: Semver): bigint => {
  for (const [i, part] of a.parts.entries()) if (part !== b.parts[i]) return compare(part, b.parts[i]!);
  if (a.pre === b.pre) return 0n;
  if (a.pre === '' || b.pre === '') return a.pre === '' ? 1n : -1n;
  const [left, right] = [a.pre.split('.'), b.pre.split('.')];
  for (const [i, part] of left.entries()) {
    const order = right[i] === undefined ? 1n : comparePart(part, right[i]);
    if (order !== 0n) return order;
  }
  return -1n;
};

const registerVersions = (of: Environment): Environment =>
  of
    .registerType('kubernetes.Semver', Semver as never)
    .registerFunction('isSemver(string): bool', (text: string) => semverForm.test(text))
    .registerFunction('semver(string): kubernetes.Semver', (text: string) => new Semver(text))
    .registerFunction('kubernetes.Semver.major(): int', ({ parts }: Semver) => parts[0]!)
    .registerFunction('kubernetes.Semver.minor(): int', ({ parts }: Semver) => parts[1]!)
    .registerFunction('kubernetes.Semver.patch(): int', ({ parts }: Semver) => parts[2]!)
    .registerFunction('kubernetes.Semver.compareTo(kubernetes.Semver): int', compareSemver)
    .registerFunction(
      'kubernetes.Semver.isLessThan(kubernetes.Semver): bool',
      (a: Semver, b: Semver) => compareSemver(a, b) < 0n,
    )
    .registerFunction(
      'kubernetes.Semver.isGreaterThan(kubernetes.Semver): bool',
      (a: Semver, b: Semver) => compareSemver(a, b) > 0n,
    );

class Formats {}
class Format {
  readonly faults: (text: string) => string[];
  constructor(faults: (text: string) => string[]) {
    this.faults = faults;
  }
}
const byFormat = (name: string) => new Format((text) => (isFormat(name, text) ? [] : [`must be a valid ${name}`]));
const named: Record<string, Format> = {
  dns1123Label: new Format((text) => nameFaults('label', text)),
  dns1123Subdomain: new Format((text) => nameFaults('subdomain', text)),
  dns1123LabelPrefix: new Format((text) => nameFaults('label', text, true)),
  dns1123SubdomainPrefix: new Format((text) => nameFaults('subdomain', text, true)),
  uri: byFormat('uri'),
  uuid: byFormat('uuid'),
  byte: byFormat('byte'),
  date: byFormat('date'),
  datetime: byFormat('date-time'),
};

const registerFormats = (of: Environment): Environment => {
  of.registerType('Formats', Formats as never)
    .registerType('kubernetes.NamedFormat', Format as never)
    .registerConstant('format', 'Formats', new Formats() as never)
    .registerFunction('Formats.named(string): optional<kubernetes.NamedFormat>', (_: Formats, name: string) =>
      Object.hasOwn(named, name) ? Optional.of(named[name]) : Optional.none(),
    )
    .registerFunction(
      'kubernetes.NamedFormat.validate(string): optional<list<string>>',
      ({ faults }: Format, text: string) => {
        const found = faults(text);
        return found.length > 0 ? Optional.of(found) : Optional.none();
      },
    );
  for (const [name, one] of Object.entries(named))
    of.registerFunction(`Formats.${name}(): kubernetes.NamedFormat`, () => one);
  return of;
};

/** Registers all functions in an environment and returns it. */
export const registerLibrary = (environment: Environment): Environment =>
  [
    registerRegex,
    registerLists,
    registerSets,
    registerStrings,
    registerUrls,
    registerAddresses,
    registerQuantities,
    registerVersions,
    registerFormats,
    registerComprehensions,
    registerOptionals,
  ].reduce((of, register) => register(of), environment);
