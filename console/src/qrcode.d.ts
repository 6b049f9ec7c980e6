// The part of `qrcode` that draws nothing. The package's own types are those of Node.js.
declare module 'qrcode/lib/core/qrcode.js' {
  export function create(
    text: string,
    options: { readonly errorCorrectionLevel: 'M' },
  ): { readonly modules: { readonly size: number; readonly data: Uint8Array } };
}
