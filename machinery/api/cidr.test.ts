import { expect, it } from 'vitest';
import { isCidr, isIp } from './cidr.ts';

it.each([
  ['10.0.0.0/16', true],
  ['0.0.0.0/0', true],
  ['::/0', true],
  ['fd00:1::/56', true],
  ['10.0/16', false],
  ['10/8', false],
  ['010.0.0.0/8', false],
  ['0x0a.0.0.0/8', false],
  ['10.0.0.0/33', false],
  ['10.0.0.0', false],
  ['fe80::1%eth0/64', false],
  ['fd00::/129', false],
  ['', false],
])('%s: %s', (text, is) => expect(isCidr(text)).toBe(is));

it.each([
  ['10.0.0.1', true],
  ['fd00::1', true],
  ['10.1', false],
  ['010.0.0.1', false],
  ['fe80::1%eth0', false],
  ['10.0.0.1/8', false],
])('%s: %s', (text, is) => expect(isIp(text)).toBe(is));
