import { expect, it } from 'vitest';
import { faultOfTemplate } from './judge.ts';

it.each([
  'no template',
  '{{ ds.meta_data.local_hostname }}',
  '{{ ds.meta_data.tags.instance.Name }}',
  '{{ v1.nope }}',
  '{{ nope | default("x") }}',
  '{% macro a() %}{% endmacro %}',
  '{% raw %}{{ .Values.x }}{% endraw %}',
])('takes %s', (text) => expect(faultOfTemplate(text)).toBeUndefined());

it.each([
  ['{{ ds.meta_data.placement.availability-zone }}', 'Perhaps you meant "availability_zone"?'],
  ['{{ inventory.hostname }}', "'inventory' is undefined"],
  ['{{ .Values.name }}', "unexpected '.'"],
  ['{{ $labels.instance }}', 'unexpected char "$"'],
  [`\${#list[@]}`, 'Missing end of comment tag'],
  ['{{ "x" | nosuchfilter }}', "No filter named 'nosuchfilter'."],
  [
    '{% for i in range(1000) %}{{ ds.meta_data.local_hostname }}{% endfor %}{{ inventory.hostname }}',
    "'inventory' is undefined",
  ],
])('refuses %s', (text, says) => expect(faultOfTemplate(text)).toContain(says));

/** The author of a spec could otherwise end the program that judges all specs. */
it.each([
  { rule: 'a range', text: '{% for i in range(1000000000) %}a{% endfor %}' },
  { rule: 'loops in loops', text: `${'{% for a in range(1000) %}'.repeat(6)}x${'{% endfor %}'.repeat(6)}` },
  { rule: 'a repeated text', text: "{{ 'a' * 1000000000 }}" },
  {
    rule: 'a text that grows',
    text: `{% set a = 'aaaaaaaaaa' %}${'{% set a = a ~ a ~ a ~ a %}'.repeat(20)}{{ a }}`,
  },
  { rule: 'a list of lists', text: `{% set a = ['a'] %}${'{% set a = [a, a] %}'.repeat(60)}{{ a }}` },
  { rule: 'what is replaced', text: "{{ ('a' * 100000) | replace('a', 'a' * 100000) }}" },
  { rule: 'what is joined', text: "{{ range(100000) | join('a' * 100000) }}" },
  { rule: 'an indent', text: `{{ 'a' | indent(1000000000, true) }}` },
  { rule: 'a search', text: "{{ ('a' * 100000 ~ 'b') in ('a' * 1000000) }}" },
  { rule: 'brackets', text: `{{ ${'('.repeat(50_000)}1${')'.repeat(50_000)} }}` },
  { rule: 'conditions in conditions', text: '{% if 1 %}'.repeat(50_000) + '{% endif %}'.repeat(50_000) },
  { rule: 'a long sum', text: `{{ 1${'+1'.repeat(50_000)} }}` },
])('does not go on for $rule', ({ text }) => expect(faultOfTemplate(text)).toBeUndefined());
