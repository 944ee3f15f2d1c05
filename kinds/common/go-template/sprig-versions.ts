/** sprig's functions of semantic versions, with the constraints of its library. */
import type { GoFunction } from './execute.ts';
import { TemplateError, type Value } from './nodes.ts';
import { stringIn } from './operands.ts';

interface Version {
  parts: [number, number, number];
  prerelease: string;
  metadata: string;
}

const pattern =
  /^v?(\d+)(?:\.(\d+))?(?:\.(\d+))?(?:-([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?(?:\+([\dA-Za-z-]+(?:\.[\dA-Za-z-]+)*))?$/;

const versionOf = (text: string): Version => {
  const match = pattern.exec(text.trim());
  if (!match) throw new TemplateError('Invalid Semantic Version');
  const [, major, minor = '0', patch = '0', prerelease = '', metadata = ''] = match;
  return { parts: [Number(major), Number(minor), Number(patch)], prerelease, metadata };
};

const compareIdentifiers = (left: string | undefined, right: string | undefined): number => {
  if (left === right) return 0;
  if (left === undefined) return -1;
  if (right === undefined) return 1;
  const [a, b] = [left, right].map((one) => (/^\d+$/.test(one) ? Number(one) : undefined));
  if (a !== undefined && b !== undefined) return a - b;
  if (a !== undefined) return -1;
  return b !== undefined || left > right ? 1 : -1;
};

const comparePrereleases = (left: string, right: string): number => {
  if (left === right) return 0;
  if (left === '') return 1;
  if (right === '') return -1;
  const [a, b] = [left.split('.'), right.split('.')];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const order = compareIdentifiers(a[i], b[i]);
    if (order !== 0) return order;
  }
  return 0;
};

const compare = (left: Version, right: Version): number => {
  const at = left.parts.findIndex((part, i) => part !== right.parts[i]);
  return at >= 0 ? left.parts[at]! - right.parts[at]! : comparePrereleases(left.prerelease, right.prerelease);
};

interface Bound {
  operator: string;
  version: Version;
  /** How many of major, minor and patch are given; the others are wildcards. */
  given: number;
}

const boundPattern =
  /^(=|!=|>|<|>=|=>|<=|=<|~|~>|\^)?\s*v?(\d+|[xX*])(?:\.(\d+|[xX*]))?(?:\.(\d+|[xX*]))?(-[\dA-Za-z.-]+)?(?:\+[\dA-Za-z.-]+)?$/;

const boundOf = (text: string): Bound => {
  const match = boundPattern.exec(text.trim());
  if (!match) throw new TemplateError(`improper constraint: ${text}`);
  const [, operator = '', ...rest] = match;
  const parts = rest.slice(0, 3);
  const first = parts.findIndex((part) => part === undefined || /^[xX*]$/.test(part));
  const given = first < 0 ? 3 : first;
  const [major = 0, minor = 0, patch = 0] = parts.slice(0, given).map(Number);
  const prerelease = rest[3]?.slice(1) ?? '';
  return { operator, version: { parts: [major, minor, patch], prerelease, metadata: '' }, given };
};

/** Whether the first parts are the same. */
const agrees = ({ parts }: Version, { version }: Bound, count: number): boolean =>
  parts.slice(0, count).every((part, i) => part === version.parts[i]);

/** The parts that a caret fixes: up to the first that is not zero. */
const caretParts = ({ version: { parts }, given }: Bound): number => {
  const first = parts.findIndex((part) => part !== 0);
  return first < 0 ? given : Math.min(first + 1, given);
};

const satisfies = (version: Version, bound: Bound): boolean => {
  const { operator, given } = bound;
  // A constraint matches a prerelease only if it names one.
  if (version.prerelease !== '' && bound.version.prerelease === '') return operator === '!=';
  const order = compare(version, bound.version);
  const isWithin = agrees(version, bound, given);
  switch (operator) {
    case '!=':
      return given < 3 ? !isWithin : order !== 0;
    case '>':
      return given < 3 ? order > 0 && !isWithin : order > 0;
    case '<':
      return order < 0;
    case '>=':
    case '=>':
      return order >= 0;
    case '<=':
    case '=<':
      return order <= 0 || (given < 3 && isWithin);
    case '~':
    case '~>':
      return order >= 0 && agrees(version, bound, Math.min(given, 2));
    case '^':
      return order >= 0 && agrees(version, bound, caretParts(bound));
    default:
      return given < 3 ? isWithin : order === 0;
  }
};

const hyphenRange = /(\S+)\s+-\s+(\S+)/g;
const boundsOf = (text: string): Bound[] => {
  const plain = text.replace(hyphenRange, '>=$1 <=$2').replace(/([=!<>~^])\s+/g, '$1');
  return plain
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(boundOf);
};

const matchesConstraint = (constraint: string, version: Version): boolean =>
  constraint.split('||').some((all) => {
    const bounds = boundsOf(all);
    if (bounds.length === 0) throw new TemplateError(`improper constraint: ${all}`);
    return bounds.every((bound) => satisfies(version, bound));
  });

const semver = (text: Value): Value => {
  const { parts, prerelease, metadata } = versionOf(stringIn(text));
  const [major, minor, patch] = parts.map(BigInt);
  return { Major: major, Minor: minor, Patch: patch, Prerelease: prerelease, Metadata: metadata };
};

export const versions: Record<string, GoFunction> = {
  semver,
  semverCompare: (constraint, version) => matchesConstraint(stringIn(constraint), versionOf(stringIn(version))),
};
