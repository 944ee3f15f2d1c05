import { describe, expect, it } from 'vitest';
import { formatDuration, parseDuration } from '../../machinery/api/durations.ts';
import { labelValueOf, nameFromTemplate, nameWithSuffix } from './names.ts';

describe('names', () => {
  it('truncates the base to leave room for the suffix', () => {
    expect(nameWithSuffix(`${'m'.repeat(80)}-`, 'abcde')).toBe(`${'m'.repeat(58)}abcde`);
  });
  it.each([
    { template: '{{ .machineSet.name }}-{{ .random }}', is: 'set-abcde' },
    { template: '{{.cluster.name}}-x-{{- .random -}}', is: 'c-x-abcde' },
    { template: `${'m'.repeat(70)}{{ .random }}`, is: `${'m'.repeat(58)}abcde` },
    { template: '{{ .unknown }}', is: new Error('unknown variable or function ".unknown"') },
    { template: '{{ upper .random }}', is: new Error('unknown variable or function "upper .random"') },
    { template: '{{ .random', is: new Error('unexpected "{{" or "}}"') },
  ])('$template', ({ template, is }) => {
    expect(nameFromTemplate(template, { 'cluster.name': 'c', 'machineSet.name': 'set' }, 'abcde')).toEqual(is);
  });
  it('hashes a value that is no valid label', () => {
    expect(labelValueOf('short')).toBe('short');
    expect(labelValueOf('a'.repeat(64))).toMatch(/^hash_[-_A-Za-z0-9]{6}_z$/);
  });
});

describe('durations', () => {
  it.each([
    { text: '5m', seconds: 300, canonical: '5m0s' },
    { text: '1h30m', seconds: 5400, canonical: '1h30m0s' },
    { text: '10s', seconds: 10, canonical: '10s' },
    { text: '0', seconds: 0, canonical: '0s' },
    { text: '-1m', seconds: -60, canonical: '-1m0s' },
  ])('$text is $seconds seconds', ({ text, seconds, canonical }) => {
    expect(parseDuration(text)).toBe(seconds);
    expect(formatDuration(seconds)).toBe(canonical);
  });
  it.each([
    ['1500ms', 1.5],
    ['.5s', 0.5],
  ])('%s has a fractional number of seconds', (text, seconds) => expect(parseDuration(text)).toBe(seconds));
  it.each(['', '5', 'm', '5 m', '5d', '5m!'])('%j is not a duration', (text) =>
    expect(parseDuration(text)).toBeUndefined());
});
