import { defineConfig } from 'vitest/config';

// A separate suite, because it builds kubeadm, which takes minutes the first time.
export default defineConfig({
  test: {
    include: ['test/kubeadm/**/*.test.ts'],
    testTimeout: 60_000,
    hookTimeout: 1_200_000,
  },
});
