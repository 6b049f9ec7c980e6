import { create } from 'qrcode/lib/core/qrcode.js';

/** A QR code, drawn here: what it says reaches no other place. */
export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, data } = create(text, { errorCorrectionLevel: 'M' }).modules;
  const dots = Array.from(data, (isDark, index) =>
    isDark ? `M${index % size} ${Math.floor(index / size)}h1v1h-1z` : '',
  );
  return (
    <svg className="qr" role="img" aria-label={label} viewBox={`-2 -2 ${size + 4} ${size + 4}`}>
      <path d={dots.join('')} />
    </svg>
  );
}
