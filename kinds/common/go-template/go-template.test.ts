import { describe, expect, it } from 'vitest';
import { renderTemplate, templateFault } from './index.ts';

const data = {
  name: 'demo',
  replicas: 3,
  big: 1_000_000,
  enabled: true,
  nothing: null,
  labels: { b: '2', a: '1' },
  zones: ['a', 'b'],
  builtin: { controlPlane: { version: 'v1.35.2', replicas: 3 }, cluster: { name: 'demo' } },
};

describe('templates', () => {
  it.each([
    { rule: 'prints fields', template: 'x-{{ .builtin.cluster.name }}', is: 'x-demo' },
    { rule: 'prints nothing of absent fields', template: '{{ .a.b.c }}', is: '<no value>' },
    { rule: 'prints numbers of JSON as float64', template: '{{ .replicas }} {{ .big }}', is: '3 1e+06' },
    { rule: 'prints maps and lists', template: '{{ .labels }} {{ .zones }}', is: 'map[a:1 b:2] [a b]' },
    { rule: 'trims', template: 'a {{- " b " -}} c', is: 'a b c' },
    { rule: 'chooses', template: '{{ if eq .name "x" }}1{{ else if .enabled }}2{{ else }}3{{ end }}', is: '2' },
    { rule: 'repeats lists', template: '{{ range $i, $z := .zones }}{{ $i }}={{ $z }};{{ end }}', is: '0=a;1=b;' },
    { rule: 'repeats maps by key', template: '{{ range $k, $v := .labels }}{{ $k }}{{ $v }}{{ end }}', is: 'a1b2' },
    { rule: 'repeats nothing', template: '{{ range .none }}x{{ else }}none{{ end }}', is: 'none' },
    { rule: 'leaves a range', template: '{{ range .zones }}{{ . }}{{ break }}{{ end }}', is: 'a' },
    { rule: 'changes dot', template: '{{ with .builtin.cluster }}{{ .name }}{{ $.replicas }}{{ end }}', is: 'demo3' },
    { rule: 'keeps variables', template: '{{ $a := 1 }}{{ if true }}{{ $a = 2 }}{{ end }}{{ $a }}', is: '2' },
    { rule: 'pipes', template: '{{ .name | upper | printf "%s-%s" "x" | quote }}', is: '"x-DEMO"' },
    { rule: 'calls in parentheses', template: '{{ (index .zones 1) }}{{ (dict "a" "b").a }}', is: 'bb' },
    { rule: 'defines templates', template: '{{ define "t" }}<{{ . }}>{{ end }}{{ template "t" .name }}', is: '<demo>' },
    { rule: 'drops comments', template: 'a{{/* }} */}}b', is: 'ab' },
    { rule: 'evaluates no operand without need', template: '{{ or .enabled (fail "x") }}', is: 'true' },
    { rule: 'defaults', template: '{{ .none | default "d" }}{{ .nothing | default "e" }}', is: 'de' },
    {
      rule: 'compares versions',
      template: '{{ semverCompare ">= v1.24.0, < 2" .builtin.controlPlane.version }}',
      is: 'true',
    },
    { rule: 'reads versions', template: '{{ (semver .builtin.controlPlane.version).Minor }}', is: '35' },
    { rule: 'writes JSON', template: '{{ toJson .labels }}', is: '{"a":"1","b":"2"}' },
    { rule: 'indents', template: '{{ "a\\nb" | nindent 2 }}', is: '\n  a\n  b' },
    { rule: 'adds', template: '{{ add .replicas 1 }}', is: '4' },
  ])('$rule', ({ template, is }) => expect(renderTemplate(template, structuredClone(data))).toBe(is));

  it.each([
    ['{{ .a', 'unclosed action'],
    ['{{ if .a }}', 'unexpected EOF'],
    ['{{ foo .a }}', 'function "foo" not defined'],
    ['{{ $x }}', 'undefined variable "$x"'],
    ['{{ end }}', 'unexpected {{end}}'],
  ])('does not parse %s', (template, fault) => expect(templateFault(template)).toBe(fault));

  it.each([
    ['{{ .nothing.x }}', /nil pointer evaluating interface \{\}\.x/],
    ['{{ eq .replicas 3 }}', /incompatible types for comparison/],
    ['{{ .name.x }}', /can't evaluate field x in type string/],
    ['{{ upper .none }}', /expected string/],
    ['{{ define "t" }}{{ template "t" }}{{ end }}{{ template "t" }}', /maximum template depth/],
  ])('fails to render %s', (template, fault) => expect(() => renderTemplate(template, data)).toThrow(fault));
});
