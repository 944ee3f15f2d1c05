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
])('refuses %s', (text, says) => expect(faultOfTemplate(text)).toContain(says));
