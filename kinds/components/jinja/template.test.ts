import { expect, it } from 'vitest';
import { cases, metadata } from './cases.fixture.ts';
import { renderJinja } from './template.ts';
import { TemplateError } from './value.ts';

const data = { ds: { meta_data: metadata } };

it.each(cases)('%j becomes %j', (template, output) => {
  if (output === undefined) expect(() => renderJinja(template, data)).toThrow(TemplateError);
  else expect(renderJinja(template, data)).toBe(output);
});

it('says what a hyphen means', () =>
  expect(() => renderJinja('{{ ds.meta_data.placement.availability-zone }}', data)).toThrow(
    'Undefined jinja variable: "availability-zone". Jinja tried subtraction. Perhaps you meant "availability_zone"?',
  ));
